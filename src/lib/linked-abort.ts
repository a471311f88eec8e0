export type LinkedAbort = ReturnType<typeof linkedAbort>;

/**
 * A signal that is aborted with another one, too, until the `end`. Not by `AbortSignal.any`: Node.js 20 remembers each signal that is
 * made so, for as long as the other one is there.
 * @param reasonOf makes of the reason of the other signal that of this one
 */
export function linkedAbort(stop?: AbortSignal, reasonOf = (reason: unknown) => reason) {
  const controller = new AbortController();
  const abort = (reason: unknown) => controller.abort(reason);
  const giveUp = () => abort(reasonOf(stop?.reason));
  stop?.addEventListener('abort', giveUp);
  if (stop?.aborted) giveUp();
  return { signal: controller.signal, abort, end: () => stop?.removeEventListener('abort', giveUp) };
}
