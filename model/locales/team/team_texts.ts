/** The texts of signing in, and of mails to members of the team. */
export interface TeamTexts {
  readonly welcome: (title: string) => string;
  readonly invitationFor: (userName: string, userEmail: string) => string;
  readonly signIn: string;
  readonly firstTitle: (title: string) => string;
  readonly firstHint: string;
  readonly yourName: string;
  readonly yourAddress: string;
  readonly begin: string;
  readonly badName: string;
  readonly badAddress: string;
  readonly linkEnded: string;
  readonly linkEndedHint: string;
  readonly otherWays: string;
  readonly noAccess: string;
  readonly noAccessHint: string;
  readonly noAddress: string;
  readonly otherIdentity: string;
  readonly providerFailed: string;
  readonly providerFailedHint: string;

  readonly codeSubject: (code: string, title: string) => string;
  readonly codeText: string;
  readonly codeNote: string;
  readonly inviteSubject: (title: string) => string;
  readonly inviteText: (title: string) => string;
  readonly inviteLink: string;
  readonly inviteNote: string;

  readonly digestSubject: (title: string) => string;
  readonly digestHeld: (count: string) => string;
  readonly digestReported: (count: string) => string;
  readonly digestIdeas: string;
  readonly digestMailings: string;
  readonly digestWebhooks: string;
  readonly openStudio: string;
  readonly digestNote: string;
  readonly digestSettings: string;
}
