/** The members that are moments, wherever the node tells of itself: ms since the epoch in memory, ISO 8601 in answers. */
const MOMENTS: ReadonlySet<string> = new Set([
  ...['at', 'since', 'changedAt', 'failingSince'],
  ...['firstSeen', 'lastSeen', 'nextPoll', 'polled', 'readAt', 'looked'],
  ...['lastAttempt', 'firstSuccess', 'lastSuccess', 'nextAttempt', 'sourceFirstRead'],
]);

/** For `JSON.stringify`: writes moments as text. */
export function momentsAsText(key: string, value: unknown): unknown {
  return typeof value === 'number' && MOMENTS.has(key) ? new Date(value).toISOString() : value;
}
