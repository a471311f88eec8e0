import { type Finding, LEVELS, worstFirst } from '../../publish/finding.js';

/** Results of a check, each with what to do about it; what is wrong comes first. */
export function FindingList({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul class="findings">
      {worstFirst(findings).map(({ level, what, fix }) => (
        <li class={level}>
          <strong>{LEVELS[level]}</strong> {what}
          {fix && <small>{fix}</small>}
        </li>
      ))}
    </ul>
  );
}
