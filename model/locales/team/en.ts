import type { TeamTexts } from "./team_texts.ts";

/** The texts in English. */
export const en: TeamTexts = {
  welcome: (title) => `Welcome to ${title}`,
  invitationFor: (userName, userEmail) => `This invitation is for ${userName}, ${userEmail}.`,
  signIn: "Sign in",
  firstTitle: (title) => `Set up ${title}`,
  firstHint: "You become the first admin. Your name is shown beside what you write.",
  yourName: "Your name",
  yourAddress: "Your e-mail address",
  begin: "Begin",
  badName: "Enter your name.",
  badAddress: "Enter an e-mail address like ann@example.com.",
  linkEnded: "This link was used or has ended",
  linkEndedHint: "Ask an admin for a new invitation, or sign in another way.",
  otherWays: "Other ways to sign in",
  noAccess: "You have no access yet",
  noAccessHint: "Ask an admin of this service to invite you.",
  noAddress: "The provider did not confirm your e-mail address. Ask whoever runs this service.",
  otherIdentity:
    "Another account of the provider belongs to this address. Ask an admin to invite you again.",
  providerFailed: "The provider did not sign you in",
  providerFailedHint: "Try again, or sign in another way.",

  codeSubject: (code, title) => `${code} is your code: ${title}`,
  codeText: "Enter this code where you asked for it:",
  codeNote:
    "It is valid for 10 minutes. If you did not ask for it, ignore this e-mail: without the code " +
    "nobody gets in.",
  inviteSubject: (title) => `Invitation: ${title}`,
  inviteText: (title) => `You are invited to the team of ${title}. Open the page to sign in.`,
  inviteLink: "Accept the invitation",
  inviteNote: "The link works once, within 7 days. If you expected no invitation, ignore it.",

  digestSubject: (title) => `This morning: ${title}`,
  digestHeld: (count) => `Ideas that wait for approval: ${count}`,
  digestReported: (count) => `Reported ideas: ${count}`,
  digestIdeas: "New ideas",
  digestMailings: "Mailings in trouble",
  digestWebhooks: "Webhooks in trouble",
  openStudio: "Open the studio",
  digestNote: "You get this e-mail as a member of the team, at most once a day.",
  digestSettings: "Stop this e-mail",
};
