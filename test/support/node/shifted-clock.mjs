// Loaded into a node before its program (`--import`): on SIGUSR2 its clock, though not its timers, is set to a time that lies
// so many ms from the true one as the file says. So clocks are set when a computer was asleep, or has found its time server.
import { readFileSync } from 'node:fs';

const TrueDate = Date;
let offset = 0;
const now = () => TrueDate.now() + offset;

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, args, as) => Reflect.construct(target, args.length === 0 ? [now()] : args, as),
  apply: () => new TrueDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});

process.on('SIGUSR2', () => {
  offset = Number(readFileSync(process.env.CLOCK_OFFSET_FILE, 'utf8'));
  process.stderr.write(`clock set by ${offset}\n`);
});
