import { join } from 'node:path';
import { expect } from 'vitest';
import type { NodeOptions, NodeProcess } from '../support/node/node-process.js';
import { earlierProgram } from './earlier-program.js';
import type { KeptIn } from './kept-in.js';
import { type Kept, live, makeWorld, nodeOf, type World } from './life.js';
import { cursorOf, type Observed, observe } from './observed.js';

/** A node of an earlier version after its life, stopped, and what was seen of it. */
export interface Past {
  /** The program that it was. */
  readonly main: string;
  readonly world: World;
  readonly node: NodeProcess;
  readonly kept: Kept;
  readonly was: Observed;
  readonly cursor: string | undefined;
}

/** The program of an earlier version, which is made once and kept. */
export const mainOf = async (commit: string) => join(await earlierProgram(commit), 'dist/main.js');

export async function pastOf(commit: string, keptIn: KeptIn): Promise<Past> {
  const main = await mainOf(commit);
  const world = await makeWorld();
  const node = await nodeOf(world, { ...(await keptIn.fresh()), main });
  const kept = await live(node, world);
  const was = await observe(node, kept);
  const cursor = await cursorOf(node);
  await node.stop();
  return { main, world, node, kept, was, cursor };
}

/** A node in place of that one, which has not been started: it has what that one has stored, unless other options are given. */
export function another({ world, node }: Past, main: string, stored: NodeOptions = node.options) {
  return nodeOf(world, { ...stored, main }, node);
}

/** Starts a program in place of the node: it shows all that the node has shown. It is left running. */
export async function opens(past: Past, main: string, stored?: NodeOptions): Promise<NodeProcess> {
  const opened = await another(past, main, stored);
  await opened.start();
  await showsAll(past, opened);
  return opened;
}

export async function showsAll({ was, kept }: Past, node: NodeProcess): Promise<void> {
  expect(await observe(node, kept)).toMatchObject(was);
}

/** Gives what the program says as it refuses to start on what the node has stored. */
export async function refuses(past: Past, main: string): Promise<string> {
  const refused = await another(past, main);
  await refused.spawn();
  expect(await refused.exit).toMatchObject({ code: 1 });
  return JSON.stringify(refused.log) + refused.stderr;
}
