import { PublishPage } from './publish/page.js';

/** On the page /publish. */
await new PublishPage().start();
