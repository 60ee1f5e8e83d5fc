/** The most characters in a search for ideas. */
export const SEARCH_MAX_LENGTH = 100;
