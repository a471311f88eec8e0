// Starts the pod server as its own `bin/server.js` does, without reading its configuration anew each time, which takes
// five of the six seconds of a start. The first start writes down which objects the configuration makes of which others,
// as a script (Components.js calls this compiling a configuration); later starts run it.
const { existsSync, renameSync, writeFileSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');
const { ComponentsManager, ConstructionStrategyCommonJsString } = require('componentsjs');
const { AppRunner } = require('@solid/community-server');

/** What the server asks the configuration for: first its command line, then itself. */
const ENTRIES = ['urn:solid-server-app-setup:default:CliResolver', 'urn:solid-server:default:App'];
/** The script names what it loads as the server would; and it goes when another version is installed. */
const FOLDER = dirname(require.resolve('@solid/community-server/package.json'));

/** That of Components.js puts strings between quotes as they are, also those with quotes and backslashes in them. */
class Strategy extends ConstructionStrategyCommonJsString {
  createPrimitive({ value }) {
    return JSON.stringify(value);
  }
}

/** The text of a script that exports, for each entry, a function from the values of variables to what it makes. */
async function compile(properties, configs) {
  const constructionStrategy = new Strategy({ asFunction: true, req: require });
  const manager = await ComponentsManager.build({ ...properties, constructionStrategy });
  for (const config of configs) await manager.configRegistry.register(config);
  const functions = [];
  for (const entry of ENTRIES) {
    const made = constructionStrategy.serializeDocument(await manager.instantiate(entry));
    functions.push(made.replace('module.exports =', `exports[${JSON.stringify(entry)}] =`));
    constructionStrategy.lines = [];
  }
  return functions.join('\n');
}

class CompiledAppRunner extends AppRunner {
  async createComponentsManager(properties, configs) {
    const file = join(FOLDER, `compiled-${configs.map((path) => basename(path, '.json')).join('-')}.cjs`);
    if (!existsSync(file)) {
      const own = `${file}.${process.pid}`;
      writeFileSync(own, await compile(properties, configs));
      // Servers that start at the same time write the same.
      renameSync(own, file);
    }
    const compiled = require(file);
    return { instantiate: async (entry, { variables }) => compiled[entry](variables) };
  }
}

new CompiledAppRunner().runCliSync(process);
