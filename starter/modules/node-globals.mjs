/** What packages that were written for Node.js expect to be there. */
export { Buffer } from 'buffer/';

export const process = {
  env: {},
  browser: true,
  nextTick: (task, ...given) => queueMicrotask(() => task(...given)),
};
