// A middleware: `$REIN_HOME/middleware/time-of-day.ts`. Tells the model the time, in each request anew.
import { defineMiddleware, userText } from 'rein';

export default defineMiddleware({
  name: 'time-of-day',
  wrapModelCall(request, next) {
    const time = new Date().toISOString().slice(11, 16);
    return next(request.with({ extra: [...(request.extra ?? []), userText(`It is ${time} UTC.`)] }));
  },
});
