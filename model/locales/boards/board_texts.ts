/** The texts of the public pages of boards in one language; counts stand behind a colon. */
export interface BoardTexts {
  readonly ideas: string;
  /** Stands below the heading of the list of boards. */
  readonly boardsHint: string;
  readonly noBoards: string;
  readonly noBoardsHint: string;
  readonly roadmap: string;
  readonly roadmapHint: string;
  /** Tells how many ideas of a board are open. */
  readonly openIdeas: (count: string) => string;
  readonly addIdea: string;
  readonly sortVotes: string;
  readonly sortHot: string;
  readonly sortNew: string;
  readonly open: string;
  readonly considering: string;
  readonly planned: string;
  readonly started: string;
  readonly shipped: string;
  readonly declined: string;
  /** A link to ideas of any status. */
  readonly allStatuses: string;
  /** Names the links to other orders. */
  readonly order: string;
  readonly search: string;
  /** Names the number of votes for those who can't see it. */
  readonly votes: (count: string) => string;
  readonly voteFor: (title: string) => string;
  /** Names the number of votes that come from another product. */
  readonly imported: (count: string) => string;
  readonly noIdeas: string;
  readonly noIdeasHint: string;
  /** The notice that a search found no idea. */
  readonly noMatch: string;
  readonly noMatchHint: string;
  readonly answer: string;
  /** A status, and the day since which the idea has it. */
  readonly since: (status: string, day: string) => string;
  readonly history: string;
  /** The first event in the history of an idea. */
  readonly added: string;
  readonly moreIdeas: string;
  readonly firstIdeas: string;
  /** The heading of the first step of a new idea. */
  readonly whatIsIt: string;
  readonly goOn: string;
  /** Stands above ideas that are similar to a new one. */
  readonly isItOne: string;
  readonly isItOneHint: string;
  /** Stands above the rest of the form of a new idea. */
  readonly noneOfThese: string;
  /** The same heading if no idea is similar. */
  readonly noneSimilar: string;
  readonly shippedLately: string;
  /** Stands in an empty column of the roadmap. */
  readonly nothingHere: string;
  /** Opens the rest of a column of the roadmap. */
  readonly showAll: string;
  /** A link to the entry that ships an idea. */
  readonly shippedWith: (title: string) => string;
  /** Stands above the ideas that an entry ships. */
  readonly youAsked: string;
  readonly allIdeasOf: (board: string) => string;
}
