import { detailOf } from '../host/data-events.js';

/** Adds a line to the list of what components have asked the page for. */
export function logRequest(type: string, event: Event, outcome: string): void {
  const { uri, type: as } = detailOf(event);
  const line = document.createElement('li');
  line.textContent = `${type.replace(/^(component|semcom)-data-/, '')} ${String(uri)} as ${String(as)}: ${outcome}`;
  document.getElementById('log')?.append(line);
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
