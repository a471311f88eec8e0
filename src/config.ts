/** Where the client credentials of a private pod are found: names of environment variables, never the values. */
export interface PodAuth {
  readonly id: string;
  readonly secret: string;
  /** OIDC issuer that exchanges them for tokens; the pod's origin when absent. */
  readonly issuer?: string;
}

/** One value of `process.env`-free configuration; frozen, complete, checked. The keys are those of the design, section 2. */
export interface Config {
  readonly baseUrl: string;
  readonly listen: { readonly host: string; readonly port: number };
  /** Absolute path. */
  readonly dataDir: string;
  readonly vocabulary: string;
  readonly mode: 'registry' | 'mirror';
  readonly write: 'off' | 'open' | 'operator';
  readonly insecureOpenWrite: boolean;
  readonly peers: readonly { readonly url: string }[];
  readonly pods: readonly {
    readonly url: string;
    readonly auth?: PodAuth;
    /** The values of the variables that `auth` names. */
    readonly credentials?: { readonly id: string; readonly secret: string; readonly issuer: string };
  }[];
  readonly sync: {
    readonly schedule: string;
    readonly concurrency: number;
    readonly timeoutSeconds: number;
    readonly maxBytes: number;
    readonly maxDocuments: number;
  };
  readonly discovery: {
    readonly depth: number;
    readonly allow: readonly string[];
    readonly deny: readonly string[];
    readonly maxPeers: number;
    readonly maxPods: number;
  };
  readonly network: { readonly allowPrivate: boolean };
  readonly limits: { readonly bodyBytes: number; readonly batch: number };
  readonly connection: {
    readonly enabled: boolean;
    readonly path: string;
    readonly issuers: readonly string[];
  };
  /** From `REGISTRY_OPERATOR_TOKEN`. */
  readonly operatorToken?: string;
}
