/** Does the node answer requests? While it is `loading` it has no data to answer from yet. */
export type Health = 'loading' | 'serving' | 'stopping';
