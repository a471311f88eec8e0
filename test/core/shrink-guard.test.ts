import { expect, it } from 'vitest';
import { batchOf, ENOUGH, HOUR, Judged } from './judged.js';

const HUNDRED = 'd: d*60; e: e*40';
/** How many components are stored, and what is pending. */
function outcomeOf(source: Judged): string {
  const { shrink } = source.record;
  if (!shrink) return `${source.count()}`;
  const { from, to, polls, since } = shrink;
  return `${source.count()}, ${from} to ${to} in ${polls} since ${since / HOUR} h`;
}

/** What is stored at first, then polls: the hour and what is read, then what comes of it. */
it.each<[what: string, before: string, ...polls: [read: string, outcome: string][]]>([
  ['is pending; all else is taken', HUNDRED, ['0 h -d; f: f*3', '103, 100 to 43 in 1 since 0 h']],
  ['is pending in a document', HUNDRED, ['0 h d: d000=edited new', '101, 100 to 42 in 1 since 0 h']],
  [
    'is believed after three complete polls, whatever else the source says',
    HUNDRED,
    ['0 h -d; p: p*3', '103, 100 to 43 in 1 since 0 h'],
    ['1.5 h -d; p: q*3', '106, 103 to 43 in 2 since 0 h'],
    ['1.6 h -d; p: r*3', '43'],
  ],
  [
    'is believed after an hour, and not before',
    HUNDRED,
    ['0 h -d', '100, 100 to 40 in 1 since 0 h'],
    ['0.5 h -d', '100, 100 to 40 in 2 since 0 h'],
    ['0.99 h -d', '100, 100 to 40 in 3 since 0 h'],
    ['1 h -d', '40'],
  ],
  [
    'waits for an hour anew when the clock is set back',
    HUNDRED,
    ['9 h -d', '100, 100 to 40 in 1 since 9 h'],
    ['2 h -d', '100, 100 to 40 in 2 since 2 h'],
    ['2.9 h -d', '100, 100 to 40 in 3 since 2 h'],
  ],
  [
    'is shown by complete polls alone',
    HUNDRED,
    ['0 h d: …', '100, 100 to 40 in 0 since 0 h'],
    ['1 h d: …', '100, 100 to 40 in 0 since 0 h'],
    ['2 h -d', '100, 100 to 40 in 1 since 2 h'],
    ['3 h d: …', '100, 100 to 40 in 1 since 2 h'],
  ],
  [
    'waits by itself where it comes on top of another, which waits no longer for that',
    'd: d*60; e: e*140',
    ['0 h -d; e: e*80', '200, 200 to 80 in 1 since 0 h'],
    ['0.7 h -d; e: e*30', '200, 200 to 30 in 2 since 0 h'],
    ['1 h -d; e: e*30', '80, 80 to 30 in 1 since 1 h'],
    ['1.7 h -d; e: e*30', '80, 80 to 30 in 2 since 1 h'],
    ['2 h -d; e: e*30', '30'],
  ],
  [
    'is not believed when each poll loses something else',
    'a: a*40; b: b*40; c: c*40',
    ['0 h -b; -c', '120, 120 to 40 in 1 since 0 h'],
    ['1 h -a; -c', '120, 120 to 40 in 2 since 0 h'],
    ['2 h -a; -b', '120, 120 to 40 in 1 since 2 h'],
    ['3 h -b; -c', '120, 120 to 40 in 2 since 2 h'],
  ],
  [
    'is counted with what a feed takes back, but with nothing that it takes back in vain',
    HUNDRED,
    ['0 h d+ -d*60 -e*15 -d*60; e+ e039 new -d*60 -e*15 -z', '101, 100 to 26 in 1 since 0 h'],
  ],
  [
    'is one of what the source says, stored or not',
    'd: d*30 (70 left out)',
    ['0 h d: d*45 (5 left out)', '45'],
    ['0 h d: d*20 (4 left out)', '45, 50 to 24 in 1 since 0 h'],
  ],
  ['is one of more than twenty', 'd: d*21', ['0 h -d', '21, 21 to 0 in 1 since 0 h']],
  ['is none of twenty', 'd: d*25', ['0 h d: d*5', '5']],
  ['is one of more than half', 'd: d*42', ['0 h d: d*20', '42, 42 to 20 in 1 since 0 h']],
  ['is none of half', 'd: d*42', ['0 h d: d*21', '21']],
])('a loss %s', async (_, before, ...polls) => {
  const source = await Judged.of({}, before);
  for (const [read, outcome] of polls) {
    const [hour = '', text = ''] = read.split(' h ');
    source.now = Number(hour) * HOUR;
    await source.poll(text);
    expect(outcomeOf(source)).toBe(outcome);
  }
});

const SHRINK = { since: 0, polls: 2, from: 100, to: 40 };
const UNNOTED = { now: 9 * HOUR, record: { failures: 0, shrink: SHRINK } };
it.each<[what: string, settings: Partial<Judged>, read: string, outcome: string]>([
  ['is believed at once when the operator accepts it', { accepts: true }, '-d', '40'],
  ['is none of what there is no room for', { limit: { components: 5, bytes: 1e6 } }, 'e: e*90', '100'],
  ['begins anew where nobody has noted what was lost', UNNOTED, '-d', '100, 100 to 40 in 1 since 9 h'],
])('a loss %s', async (_, settings, read, outcome) => {
  const source = Object.assign(await Judged.of({}, HUNDRED), settings);
  await source.poll(read);
  expect(outcomeOf(source)).toBe(outcome);
});

it('goes of a document as far as it is believed, without marks that say that it is as it was', async () => {
  const marks = { etag: '"2"', lastModified: 'now', modified: 'now' };
  const marked = (read: string) => {
    const batch = batchOf(read);
    return { ...batch, put: batch.put.map((one) => ({ ...one, record: { ...marks, readAt: 5 } })) };
  };
  const source = await Judged.of({}, marked('d: d*200; e: e*10'));
  for (const [i, poll] of [marked('d+ -d*120'), marked('d+ -d*180'), '-d'].entries()) {
    source.now = (i * HOUR) / 2;
    await source.poll(poll);
    for (const mark of Object.keys(marks)) expect(source.records.get('d')).not.toHaveProperty(mark);
    expect(source.records.get('e')).toMatchObject(marks);
  }
  expect([source.count('d'), source.records.get('d')?.readAt]).toEqual([80, 5]);
});

it('is none where the news of what is stored had no room for a while', async () => {
  const source = await Judged.of({}, HUNDRED);
  source.limit = { components: 100, bytes: 100 };
  await source.poll('d: d*60!');
  source.limit = ENOUGH;
  await source.poll('d: d*59!');
  expect(outcomeOf(source)).toBe('99');
});
