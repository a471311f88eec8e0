import { detailOf } from '../../host/data-events.js';
import { element } from './element.js';

/** Adds a line to the list of what components have asked the page for. */
export function logRequest(type: string, event: Event, outcome: string): void {
  const { uri, type: as } = detailOf(event);
  const action = type.replace(/^(component|semcom)-data-/, '');
  const line = element('li', {}, `${action} ${String(uri)} as ${String(as)}: ${outcome}`);
  document.getElementById('log')?.append(line);
}
