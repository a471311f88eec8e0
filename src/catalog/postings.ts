import { indexedValues } from '../component/canonical-shape.js';
import type { Breather } from '../lib/pace.js';
import { addTo, changedLists, type Edits, placeFrom } from './edited.js';
import type { Component } from './entry.js';

/** Fields whose values lead to components. */
export const POSTED_FIELDS = ['shapes', 'tag', 'author'] as const;
export type PostedField = (typeof POSTED_FIELDS)[number];

/** Components in the order of their uris. Never changed in place. */
export type Components = readonly Component[];
export const NO_COMPONENTS: Components = [];

/** For each value of a field, the components that are served with it. */
export type AllPostings = Readonly<Record<PostedField, ReadonlyMap<string, Components>>>;

/** What is served under a uri, before a change and after it. */
export interface ComponentEdit {
  readonly uri: string;
  readonly before: Component | undefined;
  readonly after: Component | undefined;
}

/** The postings of components that are in the order of their uris. Gives way to other work. */
export async function postingsOf(
  components: Iterable<Component>,
  breathe: Breather,
): Promise<Record<PostedField, Map<string, Components>>> {
  const postings = perField<Component[]>();
  for (const component of components) {
    const { foundBy } = component.served;
    for (const field of POSTED_FIELDS)
      for (const value of indexedValues(foundBy, field)) addTo(postings[field], value, component);
    const pause = breathe();
    if (pause) await pause;
  }
  // A list that has grown has room for more, and most lists are shorter than that room.
  for (const lists of Object.values(postings))
    for (const [value, list] of lists) {
      lists.set(value, list.slice());
      const pause = breathe();
      if (pause) await pause;
    }
  return postings;
}

/** The lists that differ after a change of what is served. Gives way to other work. @param edits in the order of uris */
export async function changedPostings(
  postings: AllPostings,
  edits: readonly ComponentEdit[],
  breathe: Breather,
): Promise<AllPostings> {
  const byValue = perField<Edits<Component>[number][]>();
  for (const { uri, before, after } of edits) {
    const [left, come] = [before?.served.foundBy, after?.served.foundBy];
    for (const field of POSTED_FIELDS) {
      const found = new Map<string, Component | undefined>();
      for (const value of left ? indexedValues(left, field) : []) found.set(value, undefined);
      for (const value of come ? indexedValues(come, field) : []) found.set(value, after);
      for (const [value, there] of found) addTo(byValue[field], value, [uri, there]);
    }
    await breathe();
  }
  const listsOf = (field: PostedField) => changedLists(postings[field], byValue[field], breathe);
  return { shapes: await listsOf('shapes'), tag: await listsOf('tag'), author: await listsOf('author') };
}

function perField<T>(): Record<PostedField, Map<string, T>> {
  return { shapes: new Map(), tag: new Map(), author: new Map() };
}

/** The components that are in all lists. The shortest is walked, the others are searched. Gives way to other work. */
export async function intersection(lists: readonly Components[], breathe: Breather): Promise<Components> {
  const [shortest = NO_COMPONENTS, ...others] = lists.toSorted((one, other) => one.length - other.length);
  let common = shortest;
  for (const list of others) {
    const members: Component[] = [];
    let at = 0;
    for (const component of common) {
      at = placeFrom(list, component.uri, at);
      if (list[at] === component) members.push(component);
      const pause = breathe();
      if (pause) await pause;
    }
    common = members;
  }
  return common;
}

/** The components that are in one of the lists at least, each once. Gives way to other work. */
export async function union(lists: readonly Components[], breathe: Breather): Promise<Components> {
  if (lists.length < 2) return lists[0] ?? NO_COMPONENTS;
  const half = lists.length >> 1;
  return merged(await union(lists.slice(0, half), breathe), await union(lists.slice(half), breathe), breathe);
}

async function merged(one: Components, other: Components, breathe: Breather): Promise<Components> {
  const all: Component[] = [];
  for (let [i, j] = [0, 0]; ; ) {
    const [left, right] = [one[i], other[j]];
    const next = !right || (left && left.uri <= right.uri) ? left : right;
    if (!next) return all;
    all.push(next);
    if (next === left) i += 1;
    if (next === right) j += 1;
    const pause = breathe();
    if (pause) await pause;
  }
}
