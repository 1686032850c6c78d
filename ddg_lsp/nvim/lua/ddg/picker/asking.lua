-- Asking as one types: waits for a little quiet, cancels the question before, and lets only the newest answer through.
local config = require('ddg.config')
local search = require('ddg.search')

local M = {}
M.__index = M

-- `show(err, answer, client)` is called with each answer that is still wanted; `waiting(true|false)` around it.
function M.new(options, show, waiting)
  return setmetatable({ options = options, show = show, waiting = waiting, number = 0 }, M)
end

function M:stop()
  self.number = self.number + 1
  if self.cancel then
    self.cancel()
    self.cancel = nil
    self.waiting(false)
  end
end

function M:_send(text)
  local number = self.number
  self.waiting(true)
  local cancel = search.search(text, self.options, function(err, answer, client)
    if number == self.number then
      self.cancel = nil
      self.waiting(false)
      self.show(err, answer, client)
    end
  end)
  if number == self.number then
    self.cancel = cancel
  end
end

-- Asks after `delay_ms` of quiet; without it at once.
function M:ask(text, delay_ms)
  self:stop()
  local number = self.number
  if delay_ms == 0 then
    return self:_send(text)
  end
  vim.defer_fn(function()
    if number == self.number then
      self:_send(text)
    end
  end, delay_ms or config.get().debounce_ms)
end

return M
