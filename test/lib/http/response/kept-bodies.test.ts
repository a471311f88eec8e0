import { describe, expect, it } from 'vitest';
import { KeptBodies } from '../../../../src/lib/http/response/kept-bodies.js';

/** Asks for the bodies of these objects in turn; how many of them were ready, and how many were made to be kept. */
function ask(bodies: KeptBodies, size: number, ...of: readonly object[]) {
  let [ready, made] = [0, 0];
  const write = (bytes: Uint8Array) => {
    made += 1;
    bytes.fill(made);
  };
  for (const one of of) if (bodies.get(one, { size, write })) ready += 1;
  return { ready, made };
}

const objects = (count: number) => Array.from({ length: count }, () => ({}));

describe('KeptBodies', () => {
  it('keeps what is asked for a second time, and has it made once', () => {
    const [bodies, of] = [new KeptBodies(1000), {}];
    expect(ask(bodies, 10, of)).toEqual({ ready: 0, made: 0 });
    expect(ask(bodies, 10, of, of, of)).toEqual({ ready: 3, made: 1 });
    expect(bodies.get(of, { size: 10, write: () => undefined })).toEqual(Buffer.alloc(10, 1));
  });

  it('keeps no more than there is memory for, and nothing large', () => {
    const bodies = new KeptBodies(1_000_000);
    const many = objects(50);
    ask(bodies, 100_000, ...many);
    expect(ask(bodies, 100_000, ...many)).toEqual({ ready: 10, made: 10 });
    expect(ask(bodies, 100_000, ...many)).toEqual({ ready: 10, made: 0 });
    const large = {};
    expect(ask(new KeptBodies(1_000_000), 200_000, large, large)).toEqual({ ready: 0, made: 0 });
  });

  it('gives the memory to what is asked for more often, whatever was frequent once', () => {
    const bodies = new KeptBodies(100);
    const [before, now] = [objects(10), objects(10)];
    for (let i = 0; i < 5; i++) ask(bodies, 10, ...before);
    for (let i = 0; i < 12; i++) ask(bodies, 10, ...now);
    expect(ask(bodies, 10, ...now).ready).toBe(10);
    for (let i = 0; i < 4000; i++) ask(bodies, 10, ...now);
    for (let i = 0; i < 2000; i++) ask(bodies, 10, ...before);
    expect(ask(bodies, 10, ...before).ready).toBe(10);
  });

  it('does not make bodies all the time where too many are asked for by turns', () => {
    const bodies = new KeptBodies(100);
    const many = objects(40);
    let made = 0;
    for (let i = 0; i < 50; i++) made += ask(bodies, 10, ...many).made;
    expect(made).toBe(10);
  });
});
