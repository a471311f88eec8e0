/** `npm run torture`: the scenarios of the tests that kill, soak and attack, in their full size. */
import { readTortureOptions, type TortureOptions } from './torture/command-line.js';
import { type Outcome, runScenario } from './torture/run-scenario.js';
import { attackTable, scenarioTable, tortureSummary, worstTable } from './torture/table.js';

const options = readTortureOptions(process.argv.slice(2), Math.random);
if ('help' in options) console.log(options.help);
else if ('fault' in options) {
  console.error(`${options.fault}; "npm run torture -- --help" shows what there is`);
  process.exitCode = 2;
} else await torture(options);

async function torture({ scenarios, ...size }: TortureOptions): Promise<void> {
  const outcomes: Outcome[] = [];
  for (const [i, scenario] of scenarios.entries()) {
    console.log(`[${i + 1}/${scenarios.length}] ${scenario.name}: ${scenario.shows} …`);
    const outcome = await runScenario(scenario, size);
    outcomes.push(outcome);
    if (!outcome.ok) console.error(outcome.output);
    console.log(`    ${outcome.ok ? 'passed' : 'FAILED'} after ${outcome.seconds.toFixed(1)} s`);
  }
  console.log(
    [
      ...['', attackTable(outcomes), worstTable(outcomes)],
      ...[scenarioTable(outcomes), tortureSummary(outcomes, size)],
    ].join('\n'),
  );
  process.exitCode = outcomes.every(({ ok }) => ok) ? 0 : 1;
}
