/** `npm run simulate`: a network of nodes and pods in one process. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { type CommandLine, readCommandLine } from './simulate/command-line.js';
import type { SimulationOptions } from './simulate/options.js';
import { Effort } from './simulate/report/effort.js';
import { failureText } from './simulate/report/failure-text.js';
import { outcomeTable } from './simulate/report/outcome-table.js';
import { createProgress } from './simulate/report/progress.js';
import { type SizedOutcome, sizesPlot, sizesTable } from './simulate/report/sizes.js';
import { shortestHistory, simulate } from './simulate/shortest-history.js';
import type { Outcome, Phase } from './simulate/simulation.js';

const args = process.argv.slice(2);
const commandLine = readCommandLine(args);
if ('help' in commandLine) console.log(commandLine.help);
else if ('fault' in commandLine) {
  console.error(`${commandLine.fault}; "npm run simulate -- --help" shows what there is`);
  process.exitCode = 2;
} else if (commandLine.sizes.length > 0) await compareSizes(commandLine);
else {
  for (let i = 0; i < commandLine.seeds && process.exitCode === undefined; i++) {
    await run(commandLine, { ...commandLine.options, seed: commandLine.options.seed + i });
  }
}

/** Runs networks of several sizes, and shows what they cost beside one another. */
async function compareSizes(commandLine: CommandLine): Promise<void> {
  const outcomes: SizedOutcome[] = [];
  for (const nodes of commandLine.sizes) {
    const options = {
      ...commandLine.options,
      nodes,
      degree: Math.min(commandLine.options.degree, nodes - 1),
    };
    const outcome = await run(commandLine, options);
    if (outcome) outcomes.push({ nodes, pods: options.pods, outcome });
  }
  console.log(`\n${sizesTable(outcomes)}`);
  if (commandLine.plot !== undefined) writeFileSync(commandLine.plot, sizesPlot(outcomes));
}

async function run(
  { json, log, shorten }: CommandLine,
  options: SimulationOptions,
): Promise<Outcome | undefined> {
  const progress = createProgress(process.stderr);
  if (log !== undefined) writeFileSync(log, '');
  const writeLog = log === undefined ? {} : { writeLog: (text: string) => appendFileSync(log, text) };
  const began = performance.now();
  const effort = new Effort();
  const ended = (phase: Phase) => effort.ended(phase);
  const result = await simulate(options, { progress: progress.show, ended, ...writeLog });
  const seconds = (performance.now() - began) / 1000;
  if ('failure' in result) {
    process.exitCode = 1;
    const shortest = await shortestHistory(options, result.failure, {
      progress: progress.show,
      mostRuns: shorten,
    });
    progress.end();
    console.log(failureText(shortest, options, args));
    return undefined;
  }
  progress.end();
  const memory = Math.round(process.memoryUsage().rss / 1_000_000);
  if (json)
    console.log(
      JSON.stringify({
        options: { ...options, faults: options.faults.map(({ name }) => name) },
        ...result.outcome,
        seconds,
        cpu: effort.seconds,
        memory,
      }),
    );
  else
    console.log(
      `${outcomeTable(result.outcome, options)}\n${seconds.toFixed(1)} s, ${memory} MB; ${effort.text}`,
    );
  return result.outcome;
}
