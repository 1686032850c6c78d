-- Stands in for snacks.nvim's picker: a live source whose finder is called with `context.filter.search` and returns a
-- function that runs in a coroutine outside the main loop. `context.async` suspends, resumes, and tells of an abort when
-- the next prompt comes.
local function task()
  local self = { handlers = {} }
  function self:on(event, act)
    self.handlers[event] = act
  end
  function self:suspend()
    self.suspended = true
    if coroutine.yield() == 'abort' then
      error('aborted')
    end
  end
  function self:resume()
    if self.suspended then
      self.suspended = false
      coroutine.resume(self.thread)
    end
  end
  function self:abort()
    self.aborted = true -- before it ran: it never does
    if self.suspended then
      self.suspended = false
      coroutine.resume(self.thread, 'abort')
      self.handlers.abort()
    end
  end
  return self
end

return {
  picker = {
    pick = function(options)
      _G.opened = { options = options }
      local running
      function _G.type_prompt(text)
        if running then
          running:abort()
        end
        local this = task()
        running = this
        local timer = vim.uv.new_timer()
        timer:start(0, 0, function()
          timer:close()
          if this.aborted then
            return
          end
          local found = options.finder(options, { filter = { search = text }, async = this })
          this.thread = coroutine.create(function()
            local items = {}
            found(function(item)
              items[#items + 1] = item
            end)
            _G.entries = items
          end)
          coroutine.resume(this.thread)
        end)
      end
    end,
  },
}
