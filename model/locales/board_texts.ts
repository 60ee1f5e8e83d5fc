/**
 * The texts of boards, of forms with an address, of the mail and page that prove it, and of a
 * person's own page. A name or title that a person wrote is an argument.
 */
export interface BoardTexts {
  // Boards, ideas and the roadmap.
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
  readonly searchIdeas: string;
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
  /** Names the number of votes, and of those cast in the last four weeks. */
  readonly recentVotes: (votes: string, recent: string) => string;
  readonly answer: string;
  /** The day of the team's answer. */
  readonly answeredOn: (day: string) => string;
  /** A status, and the day since which the idea has it. */
  readonly since: (status: string, day: string) => string;
  readonly history: string;
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
  readonly youAskedForIt: string;
  readonly allIdeasOf: (board: string) => string;

  // The mail that proves an address.
  readonly mailSubject: (name: string) => string;
  readonly voteSubject: (name: string) => string;
  readonly ideaSubject: (name: string) => string;
  readonly mailText: (name: string) => string;
  /** The button of the mail. */
  readonly mailLink: string;
  readonly mailIgnore: string;

  // The page behind its link.
  readonly waiting: string;
  readonly waitingHint: (userEmail: string) => string;
  readonly ofSignUp: (title: string) => string;
  readonly ofVote: (title: string) => string;
  readonly ofIdea: (title: string) => string;
  /** Follows a vote or idea whose author wants mail about it. */
  readonly withMail: string;
  readonly confirm: string;
  readonly nothingWaits: string;
  readonly notMe: string;
  readonly notMeHint: string;
  readonly never: string;
  readonly neverDone: string;
  readonly neverDoneHint: string;
  readonly confirmed: string;
  readonly held: string;
  /** The heading of the items that could not be carried out. */
  readonly ended: string;

  // The cookie.
  readonly remember: string;
  readonly rememberHint: string;
  readonly remembered: string;
  readonly rememberedHint: string;
  readonly forgetBrowser: string;
  readonly browserForgotten: string;

  // A person's own page.
  readonly mine: string;
  readonly mineHint: string;
  readonly sendLink: string;
  readonly nothingMine: string;
  /** Stands for the title of an idea that the person may not read. */
  readonly notShown: string;
  readonly myVotes: string;
  readonly myIdeas: string;
  readonly isTold: string;
  readonly askMail: string;
  readonly endMail: string;
  readonly moreMine: string;
  readonly withdraw: string;
  readonly stop: string;
  readonly stopHint: string;
  readonly stopped: string;
  readonly forgetMe: string;
  readonly forgetMeHint: string;
  /** Says how long an address is kept with votes and ideas. */
  readonly kept: string;
  /** Follows `kept` if addresses are deleted some time after an idea was shipped or declined. */
  readonly keptAfterwards: (duration: string) => string;
  readonly forgetMeQuestion: string;
  /** The way back from that question. */
  readonly keepEverything: string;
  readonly forgotten: string;
  readonly forgottenHint: string;
  /** The notice for an app's link that was used before or has expired. */
  /** Says for whom a browser votes with one press. */
  readonly votingAs: (name: string) => string;
  /** The notice in place of a form that another site has sent. */
  readonly foreign: string;
  readonly foreignHint: string;

  // The forms of boards.
  readonly vote: string;
  readonly voteAndMail: string;
  readonly voteHint: string;
  readonly voteCounts: string;
  readonly withdrawn: string;
  readonly votingEnded: string;
  readonly newIdea: string;
  readonly ideaTitle: string;
  readonly ideaBody: string;
  readonly send: string;
  readonly sendAndMail: string;
  readonly badTitle: string;
  readonly badBody: string;
  readonly boardFull: string;
  readonly report: string;
  readonly reportReason: string;
  readonly badReason: string;
  readonly reported: string;
  readonly reportedHint: string;
}
