// Prints, as JSON, what a set of rules of the linter finds in the OpenAPI document on standard input.
//   node lint-openapi.mjs <rules>
import { text } from 'node:stream/consumers';
import { createConfig, lintFromString } from '@redocly/openapi-core';

const [rules] = process.argv.slice(2);
const config = await createConfig({ extends: [rules] });
const source = await text(process.stdin);
const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
const found = problems.map(({ ruleId, message, location: [place] }) => [ruleId, place?.pointer, message]);
console.log(JSON.stringify(found));
