import { PublishPage } from './script/page.js';

/** On the page /publish. */
await new PublishPage().start();
