import { isolate, type Texts } from "./locale.ts";

// “Vous”, without participles that depend on the reader's gender. No-break spaces precede ? and :.
/** The texts in French. */
export const fr: Texts = {
  about: "Les nouveautés, de la plus récente à la plus ancienne",
  skip: "Aller au contenu",
  changelog: "Nouveautés",
  feeds: "Suivre par flux",
  labels: "Étiquettes",
  labelled: (label) => `Avec l’étiquette «\u00a0${label}\u00a0»`,
  pages: "Pages",
  newerEntries: "Nouveautés plus récentes",
  olderEntries: "Nouveautés plus anciennes",
  allEntries: "Toutes les nouveautés",
  newerEntry: "Plus récente",
  olderEntry: "Plus ancienne",
  readMoreAt: (host) => `En savoir plus sur ${host}`,
  nothingYet: "Rien n’a encore été publié",
  nothingYetHint: "Suivez le flux pour être au courant de la première nouveauté.",
  nothingLabelled: "Aucune nouveauté ne porte cette étiquette",
  search: "Rechercher",
  found: (q) => `Résultats pour « ${q} »`,
  nothingFound: "Aucun résultat",
  nothingFoundHint: "Essayez avec moins de mots, ou avec d’autres.",
  preview: "Ceci est un aperçu, peut-être pas encore publié.",

  notFound: "Il n’y a rien ici",
  notFoundHint: "La page a peut-être été retirée, ou l’adresse n’est pas complète.",
  unreadable: "Cette adresse ne fonctionne pas",
  unreadableHint: "Une partie manque ou a été modifiée en chemin.",
  unavailable: "Cette page ne peut pas s’afficher pour le moment",
  unavailableHint: "Veuillez réessayer dans une minute.",
  whatIsNew: "Voir les nouveautés",

  signUp: "Recevoir les nouveautés par e-mail",
  signUpHint: "Un e-mail par nouveauté. Désabonnement possible à tout moment.",
  email: "Adresse e-mail",
  name: "Nom (facultatif)",
  subscribe: "S’abonner",
  leaveEmpty: "Laissez ce champ vide",
  badEmail: "Saisissez une adresse e-mail comme nom@example.com.",
  badName: "Saisissez un nom de 200 caractères au plus, sans caractères de contrôle.",
  lookForMail: "Consultez votre messagerie",
  lookForMailHint:
    "Ouvrez son lien pour confirmer. Si vous avez déjà reçu un e-mail de nous aujourd’hui, son lien montre " +
    "aussi ceci. Si rien n’arrive d’ici quelques minutes, regardez parmi les indésirables.",
  confirmSignUp: "Confirmer votre abonnement",
  confirmSignUpHint: (userEmail) => `Les nouveautés seront envoyées à ${userEmail}.`,
  subscribed: "Votre abonnement est confirmé",
  subscribedHint:
    "Vous recevrez un e-mail à chaque nouveauté. Chacun contient un lien pour se désabonner.",
  expired: "Ce lien a expiré",
  expiredHint: "Saisissez à nouveau votre adresse pour en recevoir un autre.",
  badLink: "Ce lien n’est pas complet",
  badLinkHint: "Copiez-le en entier depuis l’e-mail.",

  unsubscribe: "Se désabonner",
  unsubscribeQuestion: "Ne plus recevoir d’e-mails\u00a0?",
  unsubscribeHint: "Nous ne vous enverrons plus les nouveautés.",
  unsubscribed: "Votre désabonnement est enregistré",
  unsubscribedHint: "Nous ne vous enverrons plus les nouveautés.",
  endAsks: "Ne plus recevoir d’e-mails sur mes demandes",
  asksEnded: "Nous ne vous enverrons plus d’e-mails sur vos demandes.",
  choose: "Choisir ce que vous recevez",
  everything: "Tout",
  onlyLabels: "Seulement les nouveautés avec l’une de ces étiquettes :",
  howOften: "À quelle fréquence",
  paceEach: "Un e-mail par nouveauté",
  paceWeekly: "Un e-mail par semaine",
  save: "Enregistrer",
  saved: "Votre choix est enregistré.",
  tooManyLabels: (max) => `Trop d’étiquettes, rien n’a été enregistré. Au plus : ${max}`,
  noLabel: "Choisissez une étiquette, ou « Tout » : rien n’a été enregistré.",
  weekSoFar: "Cette semaine jusqu’ici",
  weekly: (title) => `La semaine de ${title}`,

  preheader: (title) => `Des nouvelles de ${title}`,
  readOnWeb: "Lire sur le web",
  learnMore: "En savoir plus",
  youAsked: (day, title) => `Vous l’avez demandé le ${day}\u00a0: ${title}`,
  whyYouGetThis: (title) => `Vous recevez cet e-mail en raison de votre abonnement à ${title}.`,
  notTracked:
    "Cet e-mail n’est pas suivi\u00a0: personne ne sait si vous l’ouvrez ni si vous cliquez sur ses liens.",
  test: "Test",

  confirmSubject: (title) => `Confirmez votre abonnement à ${title}`,
  confirmRequest: (title, userEmail) =>
    `Quelqu’un, vous sans doute, a demandé l’envoi des nouveautés de ${title} à ${userEmail}.`,
  confirmLink: "Confirmer l’abonnement",
  confirmIgnore:
    "Le lien est valable 7 jours. Si la demande ne vient pas de vous, ignorez cet e-mail\u00a0: " +
    "il n’y aura pas d’abonnement.",
  alreadySubject: (title) => `Vous avez déjà un abonnement à ${title}`,
  alreadyText: (title, userEmail) =>
    `Quelqu’un, vous sans doute, a demandé l’envoi des nouveautés de ${title} à ${userEmail}. ` +
    "Vous les recevez déjà, il n’y a rien à faire.",

  unread: (count) => `Non lues\u00a0: ${count}`,
  close: "Fermer",

  // Boards, ideas and the roadmap.
  ideas: "Idées",
  boardsHint: "Votez pour ce qu’il vous faut, ou proposez une idée. Aucun compte n’est nécessaire.",
  noBoards: "Il n’y a pas encore de tableau",
  noBoardsHint: "Découvrez les nouveautés en attendant.",
  roadmap: "Feuille de route",
  roadmapHint: "Ce que nous étudions, prévoyons et réalisons.",
  openIdeas: (count) => `Idées ouvertes : ${count}`,
  addIdea: "Proposer une idée",
  sortVotes: "Plus de votes",
  sortHot: "Populaires en ce moment",
  sortNew: "Les plus récentes",
  open: "Ouverte",
  considering: "À l’étude",
  planned: "Prévue",
  started: "En cours",
  shipped: "Livrée",
  declined: "Refusée",
  allStatuses: "Toutes",
  order: "Ordre",
  searchIdeas: "Chercher dans les idées",
  votes: (count) => `Votes : ${count}`,
  voteFor: (title) => `Voter pour « ${isolate(title)} »`,
  imported: (count) => `Repris d’un autre produit : ${count}`,
  noIdeas: "Pas encore d’idées",
  noIdeasHint: "Lancez-vous : que vous manque-t-il ?",
  noMatch: "Aucune idée ne correspond",
  noMatchHint: "Essayez d’autres mots, ou proposez-la comme nouvelle idée.",
  recentVotes: (votes, recent) => `Votes : ${votes}, dont ${recent} en quatre semaines`,
  answer: "Notre réponse",
  answeredOn: (day) => `Réponse : ${day}`,
  since: (status, day) => `${status} depuis le ${day}`,
  history: "Historique",
  moreIdeas: "Plus d’idées",
  firstIdeas: "Premières idées",
  whatIsIt: "À quoi pensez-vous ?",
  goOn: "Continuer",
  isItOne: "Est-ce l’une de celles-ci ?",
  isItOneHint: "Un vote aide plus qu’un doublon.",
  noneOfThese: "Aucune : dites-nous-en plus",
  noneSimilar: "Personne ne l’a encore demandé. Dites-nous-en plus :",
  shippedLately: "Livrées récemment",
  nothingHere: "Rien pour le moment",
  showAll: "Tout afficher",
  shippedWith: (title) => `Livrée avec : ${isolate(title)}`,
  youAskedForIt: "Vous l’avez demandé",
  allIdeasOf: (board) => `Toutes les idées de ${isolate(board)}`,

  // Forms with an address, and a person's own page.
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

  // Signing in, and mails to the team.
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
  badUserName: "Saisissez votre nom.",
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
