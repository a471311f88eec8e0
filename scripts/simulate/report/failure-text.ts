import { RULES } from '../invariants/violation.js';
import type { SimulationOptions } from '../options.js';
import type { Failure } from '../shortest-history.js';

/** What went wrong, what led there, and how to see it again. */
export function failureText(
  { violation, begun, history }: Failure,
  { seed }: SimulationOptions,
  args: readonly string[],
): string {
  const again = withoutOptions(args, ['--seed', '--seeds', '--replay', '--json']);
  return [
    `RULE BROKEN: ${RULES[violation.rule]}`,
    `  seed ${seed}, after ${(violation.elapsed / 60_000).toFixed(2)} virtual minutes: ${violation.message}`,
    'What led there (the shortest history that was found):',
    ...(history.length === 0 ? ['  nothing has happened'] : history.map((line) => `  ${line}`)),
    'To see it again:',
    `  npm run simulate -- ${[...again, '--seed', seed, '--replay', JSON.stringify(begun.join(','))].join(' ')}`,
  ].join('\n');
}

function withoutOptions(args: readonly string[], names: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const [name = ''] = (args[i] ?? '').split('=', 1);
    if (!names.includes(name)) kept.push(args[i] ?? '');
    else if (name !== '--json' && !args[i]?.includes('=')) i += 1;
  }
  return kept;
}
