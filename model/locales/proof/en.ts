import type { ProofTexts } from "./proof_texts.ts";

/** The texts in English. */
export const en: ProofTexts = {
  mailSubject: (name) => `Please confirm: ${name}`,
  voteSubject: (name) => `Please confirm your vote: ${name}`,
  ideaSubject: (name) => `Please confirm your idea: ${name}`,
  mailText: (name) =>
    `Somebody, we hope you, entered your e-mail address in a form of ${name}. ` +
    "Open the page to see what it is, and confirm it there.",
  mailLink: "See and confirm",
  mailIgnore:
    "The link is valid for 7 days. If it was not you, ignore this e-mail, or tell us on the page: " +
    "then we never mail you again.",

  waiting: "Is this from you?",
  waitingHint: (userEmail) =>
    `It was sent with the address ${userEmail}. Nothing happens before you confirm it.`,
  ofSignUp: (title) => `Get updates of ${title} by e-mail`,
  ofVote: (title) => `Vote for: ${title}`,
  ofIdea: (title) => `New idea: ${title}`,
  withMail: "with an e-mail when there is news",
  confirm: "Confirm",
  nothingWaits: "Nothing waits for your confirmation",
  notMe: "It wasn’t you?",
  notMeHint: "Then nothing happens. You can also stop all e-mails that forms here send to you.",
  never: "It wasn’t me: never mail me again",
  neverDone: "We will not mail you again",
  neverDoneHint: "Everything that waited for your confirmation was deleted.",
  confirmed: "Thank you, it is confirmed",
  held: "Your idea is shown once the team has approved it.",
  ended: "This was no longer possible:",

  remember: "Remember me on this browser",
  rememberHint:
    "A vote is then one press, without an e-mail. We store one cookie, for 90 days. Do this on your " +
    "own device only.",
  remembered: "This browser remembers you",
  rememberedHint: "A vote is now one press.",
  forgetBrowser: "Sign out on this browser",
  browserForgotten: "You are signed out on this browser",

  mine: "Your ideas and votes",
  mineHint:
    "Enter your address. We mail you a link to all that you voted for, wrote and asked for.",
  sendLink: "Send me the link",
  nothingMine: "We have nothing from you here.",
  notShown: "an idea that is not public",
  myVotes: "You voted for",
  myIdeas: "You wrote",
  isTold: "You get an e-mail when there is news",
  askMail: "Mail me when there is news",
  endMail: "No e-mail about it",
  moreMine: "There is more than this page shows. Withdraw votes to see the rest.",
  withdraw: "Withdraw vote",
  stop: "Stop all e-mails",
  stopHint: "Your votes stay. Nobody mails you about them, nor about updates.",
  stopped: "We no longer mail you",
  forgetMe: "Forget me",
  forgetMeHint:
    "Deletes your votes, your subscription, and your ideas that nobody else voted for. Other ideas stay " +
    "without your address.",
  kept: "We keep your address with your votes and ideas until you withdraw a vote or have " +
    "everything deleted.",
  keptAfterwards: (duration) =>
    "Some time after an idea was shipped or declined, the addresses are deleted and the number " +
    `of votes stays. This takes: ${duration}`,
  forgetMeQuestion: "Really delete everything about you?",
  keepEverything: "No, keep everything",
  forgotten: "You are forgotten",
  forgottenHint: "Everything about you was deleted.",
  votingAs: (name) => `You vote as: ${name}`,
  foreign: "Please try again here",
  foreignHint:
    "Another site has sent this form, so nothing was done. Open the page and press the button.",

  vote: "Vote",
  voteAndMail: "Vote, and mail me when there is news",
  voteHint: "Your address is shown to nobody. You confirm by an e-mail.",
  voteCounts: "Your vote counts",
  withdrawn: "Your vote is withdrawn",
  votingEnded: "Voting has ended here",
  newIdea: "New idea",
  ideaTitle: "Title",
  ideaBody: "Tell us more (optional)",
  send: "Send",
  sendAndMail: "Send, and mail me when there is news",
  badTitle: "Enter a title of 3 to 120 characters, without a link.",
  badBody: "Use up to 8 KB of text, without pictures.",
  boardFull: "This board takes no more ideas at present",
  report: "Report this idea",
  reportReason: "What is wrong with it?",
  badReason: "Enter a reason of 3 to 1,000 characters.",
  reported: "Thank you for telling us",
  reportedHint: "The team will look at it.",
};
