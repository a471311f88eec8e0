import { expect, it } from 'vitest';
import { Lanes } from '../../../src/lib/pool/lanes.js';

const anyLane = () => true;

it('lets lanes take turns, and jobs of one lane go in their order', () => {
  const lanes = new Lanes<string>(10);
  for (const job of ['a1', 'a2', 'a3', 'b1', 'c1']) lanes.add(job.charAt(0), job);
  const order = Array.from({ length: 6 }, () => lanes.next(anyLane));
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', undefined]);
});

it('passes over lanes that may not go now, and jobs that were taken back', () => {
  const lanes = new Lanes<string>(10);
  for (const job of ['a1', 'a2', 'b1']) lanes.add(job.charAt(0), job);
  expect(lanes.next((lane) => lane !== 'a')).toBe('b1');
  lanes.remove('a', 'a1');
  expect([lanes.next(anyLane), lanes.next(anyLane)]).toEqual(['a2', undefined]);
});

it('passes over jobs that may not go now, also within a lane', () => {
  const lanes = new Lanes<string>(10);
  for (const job of ['a1 large', 'a2', 'b1']) lanes.add(job.charAt(0), job);
  const small = (_lane: string, job: string) => !job.endsWith('large');
  expect([lanes.next(small), lanes.next(small), lanes.next(small)]).toEqual(['a2', 'b1', undefined]);
  expect(lanes.next(anyLane)).toBe('a1 large');
});

it('is full lane by lane', () => {
  const lanes = new Lanes<string>(1);
  expect([lanes.add('a', 'a1'), lanes.add('a', 'a2'), lanes.add('b', 'b1')]).toEqual([true, false, true]);
});
