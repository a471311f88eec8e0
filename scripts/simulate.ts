/** `npm run simulate`: a network of nodes and pods in one process. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { failureText, outcomeText, readCommandLine } from './simulate/command-line.js';
import { shortestHistory, simulate } from './simulate/run.js';

/** Runs that look for a shorter history of what broke a rule, at most. */
const SHORTEN = 60;

const args = process.argv.slice(2);
const { log, seeds, ...others } = readCommandLine(args);
for (let i = 0; i < seeds && process.exitCode === undefined; i++) {
  const options = { ...others, seed: others.seed + i };
  if (log !== undefined) writeFileSync(log, '');
  const began = performance.now();
  const result = await simulate(options, log === undefined ? undefined : (line) => appendFileSync(log, line));
  const seconds = (performance.now() - began) / 1000;
  if ('failure' in result) {
    process.exitCode = 1;
    console.log(`${failureText(result.failure, options.seed, args)}\nLooking for a shorter history …\n`);
    console.log(failureText(await shortestHistory(options, result.failure, SHORTEN), options.seed, args));
  } else {
    const memory = Math.round(process.memoryUsage().rss / 1_000_000);
    console.log(`${outcomeText(result.outcome, options)}\n${seconds.toFixed(1)} s, ${memory} MB`);
  }
}
