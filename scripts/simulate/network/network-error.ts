/** An error as the operating system tells it. */
export function networkError(code: 'ENOTFOUND' | 'ECONNREFUSED' | 'ECONNRESET', message: string): Error {
  return Object.assign(new Error(message), { code });
}

export const reset = (host: string) => networkError('ECONNRESET', `read ECONNRESET ${host}`);
export const refused = (host: string) => networkError('ECONNREFUSED', `connect ECONNREFUSED ${host}`);
