import type { ProofTexts } from "./proof_texts.ts";

/** The texts in French. */
export const fr: ProofTexts = {
  mailSubject: (name) => `Merci de confirmer : ${name}`,
  voteSubject: (name) => `Merci de confirmer votre vote : ${name}`,
  ideaSubject: (name) => `Merci de confirmer votre idée : ${name}`,
  mailText: (name) =>
    `Quelqu’un, vous sans doute, a saisi votre adresse e-mail dans un formulaire de ${name}. ` +
    "Ouvrez la page pour voir de quoi il s’agit, et confirmez-le là.",
  mailLink: "Voir et confirmer",
  mailIgnore:
    "Le lien est valable 7 jours. Si ce n’était pas vous, ignorez cet e-mail, ou dites-le-nous sur la " +
    "page : nous ne vous écrirons plus jamais.",

  waiting: "Est-ce bien vous ?",
  waitingHint: (userEmail) =>
    `Cela a été envoyé avec l’adresse ${userEmail}. Rien ne se passe avant votre confirmation.`,
  ofSignUp: (title) => `Recevoir les nouveautés de ${title} par e-mail`,
  ofVote: (title) => `Vote pour : ${title}`,
  ofIdea: (title) => `Nouvelle idée : ${title}`,
  withMail: "avec un e-mail dès qu’il y a du nouveau",
  confirm: "Confirmer",
  nothingWaits: "Rien n’attend votre confirmation",
  notMe: "Ce n’était pas vous ?",
  notMeHint:
    "Alors rien ne se passe. Vous pouvez aussi arrêter tous les e-mails que les formulaires d’ici vous envoient.",
  never: "Ce n’était pas moi : ne plus jamais m’écrire",
  neverDone: "Nous ne vous écrirons plus",
  neverDoneHint: "Ce qui attendait a été supprimé.",
  confirmed: "Merci, c’est confirmé",
  held: "Votre idée sera visible dès que l’équipe l’aura approuvée.",
  ended: "Cela n’était plus possible :",

  remember: "Se souvenir de moi sur ce navigateur",
  rememberHint:
    "Un vote se fait alors en un clic, sans e-mail. Nous enregistrons un cookie, pour 90 jours. À faire " +
    "seulement sur votre propre appareil.",
  remembered: "Ce navigateur se souvient de vous",
  rememberedHint: "Un vote se fait maintenant en un clic.",
  forgetBrowser: "Se déconnecter de ce navigateur",
  browserForgotten: "Vous êtes déconnecté de ce navigateur",

  mine: "Vos idées et vos votes",
  mineHint:
    "Saisissez votre adresse. Nous vous envoyons un lien vers tout ce que vous avez soutenu, écrit et demandé.",
  sendLink: "M’envoyer le lien",
  nothingMine: "Il n’y a rien de vous ici.",
  notShown: "une idée qui n’est pas publique",
  myVotes: "Vous avez voté pour",
  myIdeas: "Vous avez écrit",
  isTold: "Vous recevrez un e-mail dès qu’il y a du nouveau",
  askMail: "M’écrire quand il y a du nouveau",
  endMail: "Pas d’e-mail à ce sujet",
  moreMine: "Il y en a plus que cette page n’en montre. Retirez des votes pour voir le reste.",
  withdraw: "Retirer le vote",
  stop: "Arrêter tous les e-mails",
  stopHint: "Vos votes restent. Personne ne vous écrit à leur sujet, ni pour les nouveautés.",
  stopped: "Nous ne vous écrivons plus",
  forgetMe: "Tout effacer de moi",
  forgetMeHint:
    "Supprime vos votes, votre abonnement et vos idées pour lesquelles personne d’autre n’a voté. Les autres " +
    "idées restent sans votre adresse.",
  kept: "Nous gardons votre adresse avec vos votes et vos idées jusqu’à ce que vous retiriez un " +
    "vote ou fassiez tout effacer.",
  keptAfterwards: (duration) =>
    "Une fois une idée livrée ou refusée, les adresses sont effacées et le nombre de votes " +
    `reste. Délai : ${duration}`,
  forgetMeQuestion: "Vraiment tout effacer à votre sujet ?",
  keepEverything: "Non, tout garder",
  forgotten: "Tout est effacé",
  forgottenHint: "Plus rien de vous n’est enregistré ici.",
  votingAs: (name) => `Vous votez en tant que : ${name}`,
  foreign: "Réessayez ici",
  foreignHint:
    "Un autre site a envoyé ce formulaire : rien n’a donc été fait. Ouvrez la page et appuyez sur le bouton.",

  vote: "Voter",
  voteAndMail: "Voter, et m’écrire dès qu’il y a du nouveau",
  voteHint: "Personne ne voit votre adresse. Vous confirmez par e-mail.",
  voteCounts: "Votre vote compte",
  withdrawn: "Votre vote est retiré",
  votingEnded: "Le vote est terminé ici",
  newIdea: "Nouvelle idée",
  ideaTitle: "Titre",
  ideaBody: "Dites-nous-en plus (facultatif)",
  send: "Envoyer",
  sendAndMail: "Envoyer, et m’écrire dès qu’il y a du nouveau",
  badTitle: "Saisissez un titre de 3 à 120 caractères, sans lien.",
  badBody: "Jusqu’à 8 Ko de texte, sans images.",
  boardFull: "Ce tableau n’accepte plus d’idées pour le moment",
  report: "Signaler cette idée",
  reportReason: "Quel est le problème ?",
  badReason: "Saisissez un motif de 3 à 1 000 caractères.",
  reported: "Merci de nous l’avoir signalé",
  reportedHint: "L’équipe va y regarder.",
};
