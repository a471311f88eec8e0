import { indexedValues } from '../component/canonical-shape.js';
import type { Metadata } from '../component/metadata.js';
import { lowerBound } from '../lib/lower-bound.js';
import type { Breather } from '../lib/pace.js';
import { type Edits, edited } from './edited.js';
import type { Component } from './entry.js';
import { placeOf } from './listing.js';

/** Fields whose values lead to components. */
export const POSTED_FIELDS = ['shapes', 'tag', 'author'] as const;
export type PostedField = (typeof POSTED_FIELDS)[number];

/** Components in the order of their uris. Never changed in place. */
export type Components = readonly Component[];
export const NO_COMPONENTS: Components = [];

/** For each value of one field, the components that are served with it. */
export type Postings = ReadonlyMap<string, Components>;

/** Postings that are made while components come in the order of their uris. */
export class PostingLists {
  readonly lists: Record<PostedField, Map<string, Components>> = {
    shapes: new Map(),
    tag: new Map(),
    author: new Map(),
  };

  /** To be called before the component lies in a run: what it says is at hand then. */
  append(component: Component): void {
    const { metadata } = component.served;
    for (const field of POSTED_FIELDS) {
      const lists = this.lists[field] as Map<string, Component[]>;
      for (const value of indexedValues(metadata, field)) {
        const list = lists.get(value);
        if (list) list.push(component);
        else lists.set(value, [component]);
      }
    }
  }
}

/** What becomes of the components of each value of one field. */
class PostingEdits {
  readonly byValue = new Map<string, Edits<Component>[number][]>();

  add(value: string, uri: string, component: Component | undefined): void {
    const edits = this.byValue.get(value);
    if (edits) edits.push([uri, component]);
    else this.byValue.set(value, [[uri, component]]);
  }

  /** The lists that differ, by value. Gives way to other work. */
  async lists(postings: Postings, breathe: Breather): Promise<Postings> {
    const lists = new Map<string, Components>();
    for (const [value, edits] of this.byValue)
      lists.set(value, await edited(postings.get(value) ?? NO_COMPONENTS, edits, breathe));
    return lists;
  }
}

/** Collects what becomes of all postings. Components come in the order of their uris. */
export class PostingChanges {
  readonly #edits = {
    shapes: new PostingEdits(),
    tag: new PostingEdits(),
    author: new PostingEdits(),
  };

  /** @param before what was served @param after what is served from now on, as part of `component` */
  change(uri: string, before?: Metadata, after?: Metadata, component?: Component): void {
    for (const field of POSTED_FIELDS) {
      const values = after ? indexedValues(after, field) : [];
      for (const value of values) this.#edits[field].add(value, uri, component);
      for (const value of before ? indexedValues(before, field) : [])
        if (!values.includes(value)) this.#edits[field].add(value, uri, undefined);
    }
  }

  async lists(
    postings: Readonly<Record<PostedField, Postings>>,
    breathe: Breather,
  ): Promise<Readonly<Record<PostedField, Postings>>> {
    const of = (field: PostedField) => this.#edits[field].lists(postings[field], breathe);
    return { shapes: await of('shapes'), tag: await of('tag'), author: await of('author') };
  }
}

/** The components that are in all lists. The shortest is walked, the others are searched. */
export function intersection(lists: readonly Components[]): Components {
  const [shortest = NO_COMPONENTS, ...others] = [...lists].sort((one, other) => one.length - other.length);
  return others.reduce((common, list) => common.filter(isMemberOf(list)), shortest);
}

/** The components that are in one of the lists at least, each once. */
export function union(lists: readonly Components[]): Components {
  const [only] = lists;
  if (only && lists.length === 1) return only;
  const all = new Set(lists.flat());
  return [...all].sort((one, other) => placeOf(one) - placeOf(other));
}

/** A test for components that are asked for in the order of the listing. */
function isMemberOf(list: Components): (component: Component) => boolean {
  let at = 0;
  return (component) => {
    const place = placeOf(component);
    let leap = 1;
    while (at + leap < list.length && placeOf(list[at + leap] as Component) < place) leap *= 2;
    at = lowerBound(list, (other) => placeOf(other) >= place, at, Math.min(at + leap + 1, list.length));
    return list[at] === component;
  };
}
