import type { Texts } from "./locale.ts";

// “Tú”, in words that are the same in Spain and in America.
/** The texts in Spanish. */
export const es: Texts = {
  about: "Las novedades, de la más reciente a la más antigua",
  skip: "Ir al contenido",
  changelog: "Novedades",
  feeds: "Seguir por feed",
  labels: "Etiquetas",
  labelled: (label) => `Con la etiqueta «${label}»`,
  pages: "Páginas",
  newerEntries: "Novedades más recientes",
  olderEntries: "Novedades anteriores",
  allEntries: "Todas las novedades",
  newerEntry: "Más reciente",
  olderEntry: "Anterior",
  readMoreAt: (host) => `Más información en ${host}`,
  nothingYet: "Todavía no se ha publicado nada",
  nothingYetHint: "Sigue el feed para enterarte de la primera novedad.",
  nothingLabelled: "No hay novedades con esta etiqueta",
  search: "Buscar",
  found: (q) => `Resultados de «${q}»`,
  nothingFound: "No se ha encontrado nada",
  nothingFoundHint: "Pruebe con menos palabras o con otras.",
  preview: "Esta es una vista previa. Puede que aún no se haya publicado.",

  notFound: "Aquí no hay nada",
  notFoundHint: "Puede que se haya retirado, o que la dirección no esté completa.",
  unreadable: "Esta dirección no funciona",
  unreadableHint: "Falta una parte o se ha modificado por el camino.",
  unavailable: "Ahora mismo no podemos mostrar esta página",
  unavailableHint: "Inténtalo de nuevo dentro de un minuto.",
  whatIsNew: "Ver las novedades",

  signUp: "Recibe las novedades por correo",
  signUpHint: "Un correo por cada novedad. Puedes darte de baja cuando quieras.",
  email: "Correo electrónico",
  name: "Nombre (opcional)",
  subscribe: "Suscribirse",
  leaveEmpty: "Deja este campo vacío",
  badEmail: "Escribe una dirección de correo como nombre@example.com.",
  badName: "Escribe un nombre de hasta 200 caracteres, sin caracteres de control.",
  lookForMail: "Revisa tu correo",
  lookForMailHint:
    "Abre su enlace para confirmar. Si hoy ya recibiste un mensaje nuestro, su enlace también muestra " +
    "esto. Si no llega ninguno en unos minutos, mira en la carpeta de correo no deseado.",
  confirm: "Confirma tu suscripción",
  confirmHint: (userEmail) => `Enviaremos las novedades a ${userEmail}.`,
  confirmed: "Suscripción confirmada",
  confirmedHint:
    "Te enviaremos un correo con cada novedad. Todos llevan un enlace para darse de baja.",
  expired: "Este enlace ha caducado",
  expiredHint: "Escribe otra vez tu dirección para recibir uno nuevo.",
  badLink: "Este enlace no está completo",
  badLinkHint: "Cópialo entero del mensaje.",

  unsubscribe: "Darse de baja",
  unsubscribeQuestion: "¿No quieres recibir más correos?",
  unsubscribeHint: "Dejaremos de enviarte las novedades.",
  unsubscribed: "Suscripción cancelada",
  unsubscribedHint: "Ya no te enviaremos las novedades.",
  endAsks: "No recibir más correos sobre lo que pedí",
  asksEnded: "Ya no le enviaremos correos sobre lo que pidió.",
  choose: "Elegir lo que recibes",
  everything: "Todo",
  onlyLabels: "Solo novedades con una de estas etiquetas:",
  howOften: "Con qué frecuencia",
  paceEach: "Un correo por cada novedad",
  paceWeekly: "Un correo por semana",
  save: "Guardar",
  saved: "Tu elección está guardada.",
  tooManyLabels: (max) => `Demasiadas etiquetas: no se ha guardado nada. Como máximo: ${max}`,
  noLabel: "Elige una etiqueta o «Todo»: no se ha guardado nada.",
  weekSoFar: "Lo que va de semana",
  weekly: (title) => `La semana en ${title}`,

  preheader: (title) => `Novedades de ${title}`,
  readOnWeb: "Leer en la web",
  learnMore: "Más información",
  youAsked: (day, title) => `Lo pediste el ${day}: ${title}`,
  whyYouGetThis: (title) => `Recibes este correo porque tienes una suscripción a ${title}.`,
  notTracked: "Este correo no lleva rastreo: nadie sabe si lo abres ni si sigues sus enlaces.",
  test: "Prueba",

  confirmSubject: (title) => `Confirma tu suscripción a ${title}`,
  confirmRequest: (title, userEmail) =>
    `Alguien, esperamos que tú, ha pedido que enviemos las novedades de ${title} a ${userEmail}.`,
  confirmLink: "Confirmar suscripción",
  confirmIgnore:
    "El enlace vale durante 7 días. Si no lo has pedido tú, ignora este correo: no habrá suscripción.",
  alreadySubject: (title) => `Ya tienes una suscripción a ${title}`,
  alreadyText: (title, userEmail) =>
    `Alguien, esperamos que tú, ha pedido que enviemos las novedades de ${title} a ${userEmail}. ` +
    "Ya las recibes, no hay que hacer nada.",

  unread: (count) => `Sin leer: ${count}`,
  close: "Cerrar",
};
