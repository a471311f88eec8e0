import type { ComponentMetadata, Trust } from './component-metadata.js';

/** A component that fits a resource, and how well. */
export interface Match extends Candidate {
  /** Why, the weightiest first: codes for programs, and sentences that go on where the component's label stands. */
  readonly reasons: readonly { readonly code: string; readonly text: string }[];
  /**
   * Classes and properties of the resource that it probably does not show, because it does not declare them. Absent where
   * that is not known.
   */
  readonly missing?: Missing;
  /** Does the resource conform to the shape that the component names? Absent where that was not checked. */
  readonly conforms?: boolean;
}

export interface Missing {
  readonly types: readonly string[];
  readonly predicates: readonly string[];
}

/** A component that can render a resource, and why it is offered. */
export interface Candidate extends ComponentMetadata {
  readonly because: Because;
}

export interface Because {
  /** The shapes of the resource that it knows. */
  readonly shapes: readonly string[];
  /** How far its source is trusted, as the node says. */
  readonly trust: Trust;
  /** Nothing but these bytes is run; absent when nobody has said which. */
  readonly pinned?: Pinned;
}

export interface Pinned {
  /** `sha384-<base64>`, and what else integrity metadata may be. */
  readonly integrity: string;
  /** The author has promised these bytes, or the node has seen them first. */
  readonly by: 'author' | 'node';
}

/** Does a node say that nothing can be shown with it: its module cannot be had, or has other bytes than it had? */
export function isBroken({
  pin,
  reasons = [],
}: Pick<Candidate, 'pin'> & Partial<Pick<Match, 'reasons'>>): boolean {
  return pin?.changed !== undefined || reasons.some(({ code }) => code === 'dead' || code === 'changed');
}

/** Who says which bytes a component must have: its author, else the node that saw them first. */
export function pinOf({ integrity, pin }: Pick<ComponentMetadata, 'integrity' | 'pin'>): Pinned | undefined {
  if (integrity !== undefined) return { integrity, by: 'author' };
  return pin ? { integrity: pin.integrity, by: 'node' } : undefined;
}
