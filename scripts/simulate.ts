/** `npm run simulate`: a network of nodes and pods in one process. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { type CommandLine, readCommandLine } from './simulate/command-line.js';
import { failureText, outcomeTable, showProgress } from './simulate/report.js';
import { simulate } from './simulate/run.js';
import { shortestHistory } from './simulate/shrink.js';

const args = process.argv.slice(2);
const commandLine = readCommandLine(args);
for (let i = 0; i < commandLine.seeds && process.exitCode === undefined; i++) await run(commandLine, i);

async function run({ json, log, shorten, seeds: _, ...others }: CommandLine, place: number): Promise<void> {
  const options = { ...others, seed: others.seed + place };
  if (log !== undefined) writeFileSync(log, '');
  const writeLog = log === undefined ? {} : { writeLog: (line: string) => appendFileSync(log, line) };
  const began = performance.now();
  const result = await simulate(options, { progress: showProgress, ...writeLog });
  const seconds = (performance.now() - began) / 1000;
  if ('failure' in result) {
    process.exitCode = 1;
    const { failure } = result;
    const shortest = await shortestHistory(options, failure, { progress: showProgress, mostRuns: shorten });
    console.log(failureText(shortest, options, args));
  } else if (json) {
    const faults = options.faults.map(({ name }) => name);
    console.log(JSON.stringify({ options: { ...options, faults }, ...result.outcome, seconds }));
  } else {
    const memory = Math.round(process.memoryUsage().rss / 1_000_000);
    console.log(`${outcomeTable(result.outcome, options)}\n${seconds.toFixed(1)} s, ${memory} MB`);
  }
}
