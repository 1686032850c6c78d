-- plenary's oneshot channel: `rx` waits, in a coroutine, for what `tx` is given.
return {
  channel = {
    oneshot = function()
      local value, waiting
      return function(sent)
        value = { sent }
        if waiting then
          coroutine.resume(waiting)
        end
      end, function()
        if not value then
          waiting = coroutine.running()
          coroutine.yield()
        end
        return value[1]
      end
    end,
  },
}
