import { indexedValues } from '../component/canonical-shape.js';
import type { Breather } from '../lib/pace.js';
import { type Edits, edited, placeFrom, uriOf } from './edited.js';
import type { Component } from './entry.js';

/** Fields whose values lead to components. */
export const POSTED_FIELDS = ['shapes', 'tag', 'author'] as const;
export type PostedField = (typeof POSTED_FIELDS)[number];

/** Components in the order of their uris. Never changed in place. */
export type Components = readonly Component[];
export const NO_COMPONENTS: Components = [];

/** For each value of a field, the components that are served with it. */
export type AllPostings = Readonly<Record<PostedField, ReadonlyMap<string, Components>>>;

/** The postings of components that are in the order of their uris. Gives way to other work. */
export async function postingsOf(
  components: Iterable<Component>,
  breathe: Breather,
): Promise<Record<PostedField, Map<string, Components>>> {
  const postings = perField<Component[]>();
  for (const component of components) {
    const { foundBy } = component.served;
    for (const field of POSTED_FIELDS) {
      for (const value of indexedValues(foundBy, field)) addTo(postings[field], value, component);
    }
    const pause = breathe();
    if (pause) await pause;
  }
  return postings;
}

/**
 * The lists that differ after a change of what is served. Gives way to other work.
 * @param listing before the change @param edits in the order of uris
 */
export async function changedPostings(
  postings: AllPostings,
  listing: { get(uri: string): Component | undefined },
  edits: Edits<Component>,
  breathe: Breather,
): Promise<AllPostings> {
  const byValue = perField<Edits<Component>[number][]>();
  for (const [uri, component] of edits) {
    const [before, after] = [listing.get(uri)?.served.foundBy, component?.served.foundBy];
    for (const field of POSTED_FIELDS) {
      const found = new Map<string, Component | undefined>();
      for (const value of before ? indexedValues(before, field) : []) found.set(value, undefined);
      for (const value of after ? indexedValues(after, field) : []) found.set(value, component);
      for (const [value, there] of found) addTo(byValue[field], value, [uri, there]);
    }
    await breathe();
  }
  const lists = perField<Components>();
  for (const field of POSTED_FIELDS)
    for (const [value, some] of byValue[field]) {
      const list = postings[field].get(value) ?? NO_COMPONENTS;
      lists[field].set(value, await edited(list, uriOf, some, breathe));
    }
  return lists;
}

function perField<T>(): Record<PostedField, Map<string, T>> {
  return { shapes: new Map(), tag: new Map(), author: new Map() };
}

function addTo<T>(lists: Map<string, T[]>, value: string, item: T): void {
  const list = lists.get(value);
  if (list) list.push(item);
  else lists.set(value, [item]);
}

/** The components that are in all lists. The shortest is walked, the others are searched. Gives way to other work. */
export async function intersection(lists: readonly Components[], breathe: Breather): Promise<Components> {
  const [shortest = NO_COMPONENTS, ...others] = lists.toSorted((one, other) => one.length - other.length);
  let common = shortest;
  for (const list of others) {
    const members: Component[] = [];
    let at = 0;
    for (const component of common) {
      at = placeFrom(list, uriOf, component.uri, at);
      if (list[at] === component) members.push(component);
      const pause = breathe();
      if (pause) await pause;
    }
    common = members;
  }
  return common;
}
