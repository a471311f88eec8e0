import { expect, test } from 'vitest';
import { ByteRoom } from '../../../src/http/components/byte-room.js';

const never = new AbortController().signal;

/** Asks for room, and notes when it has been given. */
function asking(room: ByteRoom) {
  const entered: string[] = [];
  const ask = async (name: string, bytes: number, signal = never) => {
    const leave = await room.take(bytes, signal);
    entered.push(name);
    return leave;
  };
  return { entered, ask };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('who finds no room waits until enough has been given back, in the order of coming', async () => {
  const { entered, ask } = asking(new ByteRoom(100, 10));
  const first = ask('first', 60);
  const second = ask('second', 60);
  // There would be room for it, but it came later.
  const third = ask('third', 10);
  await turn();
  expect(entered).toEqual(['first']);
  (await first)();
  await Promise.all([second, third]);
  expect(entered).toEqual(['first', 'second', 'third']);
});

test('who needs more than there is gets all of it, alone', async () => {
  const { entered, ask } = asking(new ByteRoom(100, 10));
  const large = ask('large', 1_000);
  void ask('small', 1);
  await turn();
  expect(entered).toEqual(['large']);
  (await large)();
  await turn();
  expect(entered).toEqual(['large', 'small']);
});

test('who gives up makes way for those behind, and is told why', async () => {
  const room = new ByteRoom(100, 2);
  const { entered, ask } = asking(room);
  await ask('first', 60);
  const gone = new AbortController();
  const second = ask('second', 60, gone.signal);
  void ask('third', 40);
  expect(room.isCrowded).toBe(true);
  gone.abort(new Error('the client has left'));
  await expect(second).rejects.toThrow('the client has left');
  await turn();
  expect(entered).toEqual(['first', 'third']);
  expect(room.isCrowded).toBe(false);
  await expect(ask('fourth', 1, gone.signal)).rejects.toThrow('the client has left');
});
