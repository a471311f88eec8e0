/** How long a client may take nothing of what waits for it, in ms. A module of its own, so that a test can make it shorter. */
export const SEND_MS = 30_000;
