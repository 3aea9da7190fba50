/** Loads every language at once, for the library, where `t` must work without a wait. */
import { locales } from './locales/_all.ts';
import { provideLanguages } from './translate.ts';

provideLanguages(locales);
