import { expect, it } from 'vitest';
import { configTable, tableInReadme } from '../../scripts/config-table.js';

it('the README shows the configuration as it is (npm run config-table writes it)', () => {
  expect(tableInReadme()).toBe(configTable());
});
