import { expect, it } from 'vitest';
import { configTable, tableInDocument } from '../../scripts/config-table.js';

it('docs/operators.md shows the configuration as it is (npm run config-table writes it)', () => {
  expect(tableInDocument()).toBe(configTable());
});
