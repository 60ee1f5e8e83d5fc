import type { TeamTexts } from "./team_texts.ts";

/** The texts in French. */
export const fr: TeamTexts = {
  welcome: (title) => `Bienvenue sur ${title}`,
  invitationFor: (userName, userEmail) =>
    `Cette invitation est destinée à ${userName}, ${userEmail}.`,
  signIn: "Se connecter",
  firstTitle: (title) => `Configurer ${title}`,
  firstHint:
    "Vous serez la première personne chargée de l’administration. Votre nom s’affiche à côté " +
    "de ce que vous écrivez.",
  yourName: "Votre nom",
  yourAddress: "Votre adresse e-mail",
  begin: "Commencer",
  badName: "Saisissez votre nom.",
  badAddress: "Saisissez une adresse e-mail comme ann@example.com.",
  linkEnded: "Ce lien a déjà servi ou n’est plus valable",
  linkEndedHint:
    "Demandez une nouvelle invitation à l’administration, ou connectez-vous autrement.",
  otherWays: "Se connecter autrement",
  noAccess: "Vous n’avez pas encore accès",
  noAccessHint: "Demandez à l’administration de ce service de vous inviter.",
  noAddress:
    "Le fournisseur d’identité n’a pas confirmé votre adresse e-mail. Adressez-vous à qui gère " +
    "ce service.",
  otherIdentity:
    "Un autre compte du fournisseur d’identité est associé à cette adresse. Demandez à " +
    "l’administration de vous inviter de nouveau.",
  providerFailed: "Le fournisseur d’identité ne vous a pas connecté",
  providerFailedHint: "Réessayez, ou connectez-vous autrement.",

  codeSubject: (code, title) => `${code} est votre code : ${title}`,
  codeText: "Saisissez ce code là où vous l’avez demandé :",
  codeNote:
    "Il est valable 10 minutes. Si vous ne l’avez pas demandé, ignorez cet e-mail : sans le " +
    "code, personne n’entre.",
  inviteSubject: (title) => `Invitation : ${title}`,
  inviteText: (title) =>
    `Vous êtes invité à rejoindre l’équipe de ${title}. Ouvrez la page pour vous connecter.`,
  inviteLink: "Accepter l’invitation",
  inviteNote:
    "Le lien ne sert qu’une fois, dans les 7 jours. Si vous n’attendiez pas d’invitation, " +
    "ignorez-la.",

  digestSubject: (title) => `Ce matin : ${title}`,
  digestHeld: (count) => `Idées à approuver : ${count}`,
  digestReported: (count) => `Idées signalées : ${count}`,
  digestIdeas: "Nouvelles idées",
  digestMailings: "Envois en difficulté",
  digestWebhooks: "Webhooks en difficulté",
  openStudio: "Ouvrir le studio",
  digestNote: "Vous recevez cet e-mail comme membre de l’équipe, au plus une fois par jour.",
  digestSettings: "Arrêter cet e-mail",
};
