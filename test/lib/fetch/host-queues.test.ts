import { expect, it } from 'vitest';
import { HostQueues } from '../../../src/lib/fetch/host-queues.js';

it('keeps hosts apart, and passes on what tasks come to', async () => {
  const queues = new HostQueues(1);
  const order: string[] = [];
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = queues.run('http://a.example/1', () => held);
  const second = queues.run('http://a.example/2', async () => order.push('a'));
  await queues.run('http://a.example:8080/', async () => order.push('another port'));
  release();
  await Promise.all([first, second]);
  expect(order).toEqual(['another port', 'a']);
  await expect(queues.run('http://a.example/', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(queues.run('http://a.example/', async () => 7)).resolves.toBe(7);
});
