import { describe, expect, test, vi } from 'vitest';
import { type DataResponseDetail, eventName } from '../../src/host/data-events.js';
import { type DataHandler, serveData } from '../../src/host/serve-data.js';
import { waitFor } from '../support/wait-for.js';

const URI = 'https://pod.example/data';
const RESPONSE = 'component-data-response';
const READ = { uri: URI, type: 'text' };
const silent = () => undefined;

/** A target with a host, and everything that the host says to it. */
function hosted(handler: DataHandler, options: Parameters<typeof serveData>[2] = { report: silent }) {
  const target = new EventTarget();
  const responses: CustomEvent<DataResponseDetail>[] = [];
  target.addEventListener(RESPONSE, (event) => responses.push(event as CustomEvent<DataResponseDetail>));
  const stop = serveData(target, handler, options);
  const ask = (name: string, detail?: unknown) => {
    const event = new CustomEvent(name, { detail, bubbles: true, composed: true });
    target.dispatchEvent(event);
    return event;
  };
  return { target, responses, stop, ask, answered: (count = 1) => waitFor(() => responses.length >= count) };
}

describe('a response', () => {
  test('comes when the dispatch of its request is over, even for a request that is refused at once', async () => {
    const { responses, ask, answered } = hosted(async () => 'hello');
    ask('component-data-read', { uri: 5 });
    expect(responses).toEqual([]);
    await answered();
    expect(responses).toHaveLength(1);
  });

  test('of a failure has no data, and the host hears why', async () => {
    const report = vi.fn();
    const { responses, ask, answered } = hosted(() => Promise.reject(new Error('403')), { report });
    const request = ask('component-data-write', { ...READ, data: 'x' });
    await answered();
    expect(responses[0]?.detail).toMatchObject({ success: false, data: undefined });
    expect(report).toHaveBeenCalledWith(new Error('403'), request);
  });

  test('is one, when two hosts listen on the same element, and comes from the first', async () => {
    const { target, responses, ask, answered } = hosted(async () => 'first');
    const second = vi.fn(async () => 'second');
    serveData(target, second);
    ask('component-data-read', READ);
    await answered();
    expect(responses.map(({ detail }) => detail.data)).toEqual(['first']);
    expect(second).not.toHaveBeenCalled();
  });

  test('comes once, when the handler does not answer in time but later', async () => {
    let answerLate: (value: string) => void = silent;
    const late = new Promise<string>((resolve) => {
      answerLate = resolve;
    });
    const signals: AbortSignal[] = [];
    const handler: DataHandler = (_request, signal) => {
      signals.push(signal);
      return late;
    };
    const { responses, ask, answered } = hosted(handler, { timeoutMs: 5, report: silent });
    ask('component-data-read', READ);
    await answered();
    answerLate('late');
    await late;
    expect(responses.map(({ detail }) => detail.success)).toEqual([false]);
    expect(signals[0]?.aborted).toBe(true);
  });

  test('still comes for what was asked before the host stopped, and for nothing after', async () => {
    const { responses, ask, stop, answered } = hosted(async () => 'hello');
    ask('component-data-read', READ);
    stop();
    ask('component-data-read', READ);
    await answered();
    expect(responses).toHaveLength(1);
  });
});

describe('a request is refused, with a message that names the field', () => {
  const cases: readonly (readonly [string, string, unknown, RegExp])[] = [
    ['no detail', 'read', undefined, /uri must be a string/],
    ['a detail that is no object', 'read', 'uri', /uri must be a string/],
    ['a relative uri outside of a page', 'read', { ...READ, uri: '/data' }, /an http or https URL/],
    ['a script as uri', 'read', { ...READ, uri: 'javascript:alert(1)' }, /an http or https URL/],
    ['no type', 'read', { uri: URI }, /type must be one of quads, text, json, blob, uint8array/],
    ['a type of every object', 'read', { uri: URI, type: 'toString' }, /type must be one of/],
    ['a mime that is none', 'read', { ...READ, mime: 'a\r\nb: c' }, /mime must be a media type/],
    ['text that is a number', 'write', { ...READ, data: 5 }, /data is not text/],
    ['quads that are text', 'append', { uri: URI, type: 'quads', data: '<a> <b> <c>.' }, /data is not quads/],
    ['bytes that are a list', 'write', { uri: URI, type: 'uint8array', data: [1] }, /data is not uint8array/],
    ['json that is a function', 'write', { uri: URI, type: 'json', data: () => 1 }, /data is not json/],
  ];
  test.each(cases)('%s', async (_what, action, detail, message) => {
    const report = vi.fn();
    const handler = vi.fn();
    const { responses, ask, answered } = hosted(handler, { report });
    ask(eventName(action as 'read'), detail);
    await answered();
    expect(responses[0]?.detail).toMatchObject({ success: false, data: undefined });
    expect(report.mock.calls[0]?.[0]).toMatchObject({
      reason: 'request',
      message: expect.stringMatching(message),
    });
    expect(handler).not.toHaveBeenCalled();
  });
});
