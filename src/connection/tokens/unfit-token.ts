/** A token that this service cannot accept. The message may be shown to the client. */
export class UnfitToken extends Error {
  override readonly name = 'UnfitToken';
}
