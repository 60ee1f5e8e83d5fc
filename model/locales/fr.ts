import type { Texts } from "./locale.ts";

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
  confirm: "Confirmer votre abonnement",
  confirmHint: (userEmail) => `Les nouveautés seront envoyées à ${userEmail}.`,
  confirmed: "Votre abonnement est confirmé",
  confirmedHint:
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
};
