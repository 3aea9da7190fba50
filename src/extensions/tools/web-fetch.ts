import { createWebFetch } from './_web-fetch.ts';

export default createWebFetch();
