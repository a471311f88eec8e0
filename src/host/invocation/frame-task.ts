import type { Edit, Plans } from './element.js';
import type { Claim } from './element-names.js';
import type { FrameRead } from './frame-reads.js';

/** What a frame is to show. */
export type FrameTask = { readonly claim: Claim } & (
  | Plans
  | { readonly fragment: string; readonly open: string }
);

/** What a frame tells of it. */
export type FrameNews =
  | { readonly shows: boolean }
  | { readonly height: number }
  | { readonly edit: Edit }
  | { readonly read: FrameRead }
  | { readonly failed: { readonly reason: string; readonly message: string } };
