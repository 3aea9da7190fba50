/** The library. */
export {};
