/** What the command `publish` can be told; `--help` says what each is for. */
export interface PublishOptions {
  readonly to: string;
  readonly apply?: true;
  readonly node?: readonly string[];
  readonly shape?: readonly string[];
  readonly element?: string;
  readonly base?: string;
  readonly vocabulary: string;
  readonly at?: string;
  readonly replace?: true;
  readonly withdraw?: true;
  readonly issuer?: string;
  /** In ms. */
  readonly wait: number;
  readonly json?: true;
}
