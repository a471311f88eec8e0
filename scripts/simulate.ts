/** `npm run simulate`: a network of nodes and pods in one process. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { type CommandLine, readCommandLine } from './simulate/command-line.js';
import { failureText } from './simulate/report/failure-text.js';
import { outcomeTable } from './simulate/report/outcome-table.js';
import { createProgress } from './simulate/report/progress.js';
import { shortestHistory, simulate } from './simulate/shortest-history.js';

const args = process.argv.slice(2);
const commandLine = readCommandLine(args);
if ('help' in commandLine) console.log(commandLine.help);
else if ('fault' in commandLine) {
  console.error(`${commandLine.fault}; "npm run simulate -- --help" shows what there is`);
  process.exitCode = 2;
} else {
  for (let i = 0; i < commandLine.seeds && process.exitCode === undefined; i++) {
    await run(commandLine, commandLine.options.seed + i);
  }
}

async function run({ json, log, ...more }: CommandLine, seed: number): Promise<void> {
  const options = { ...more.options, seed };
  const progress = createProgress(process.stderr);
  if (log !== undefined) writeFileSync(log, '');
  const writeLog = log === undefined ? {} : { writeLog: (text: string) => appendFileSync(log, text) };
  const began = performance.now();
  const result = await simulate(options, { progress: progress.show, ...writeLog });
  const seconds = (performance.now() - began) / 1000;
  if ('failure' in result) {
    process.exitCode = 1;
    const shortest = await shortestHistory(options, result.failure, { progress: progress.show });
    progress.end();
    console.log(failureText(shortest, options, args));
    return;
  }
  progress.end();
  const memory = Math.round(process.memoryUsage().rss / 1_000_000);
  if (json)
    console.log(
      JSON.stringify({
        options: { ...options, faults: options.faults.map(({ name }) => name) },
        ...result.outcome,
        seconds,
        memory,
      }),
    );
  else console.log(`${outcomeTable(result.outcome, options)}\n${seconds.toFixed(1)} s, ${memory} MB`);
}
