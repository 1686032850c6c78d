-- The built-in picker: a prompt, the hits of what is typed, and the section of the chosen one.
local asking = require('ddg.picker.asking')
local hits = require('ddg.hits')
local keys = require('ddg.picker.keys')
local list = require('ddg.picker.list')
local preview = require('ddg.picker.preview')
local search = require('ddg.search')
local windows = require('ddg.picker.windows')

local M = {}
M.__index = M
local ASK_AGAIN_MS = 1500
local current, last

local function highlights()
  local links = {
    DdgNormal = 'NormalFloat',
    DdgBorder = 'FloatBorder',
    DdgTitle = 'FloatTitle',
    DdgPrompt = 'Question',
    DdgSelected = 'Visual',
    DdgHeading = 'Normal',
    DdgOuter = 'Comment',
    DdgPlace = 'Directory',
    DdgWeak = 'Comment',
    DdgMessage = 'Comment',
    DdgPreviewLine = 'CursorLine',
  }
  for name, target in pairs(links) do
    vim.api.nvim_set_hl(0, name, { default = true, link = target })
  end
end

local function origin()
  return { win = vim.api.nvim_get_current_win(), view = vim.fn.winsaveview(), mode = vim.api.nvim_get_mode().mode }
end

-- Opens the picker for the workspace of the current buffer. `options`: `text` to begin with, `selected` row.
function M.open(options)
  local before = current and current.windows:valid() and current or nil
  if before then
    before:take_away()
  end
  highlights()
  local from = before and before.origin or origin()
  local self = setmetatable({ origin = from, selected = options.selected or 1, asked_at = 0 }, M)
  current, self.reopened = self, before ~= nil
  self.bufnr = vim.api.nvim_get_current_buf()
  self.windows = windows.open('Ask the docs')
  self.list = list.new(self.windows.bufs.results)
  self.preview = preview.new(self.windows.bufs.preview)
  self.asking = asking.new({ bufnr = self.bufnr }, function(...)
    self:answered(...)
  end, function(on)
    self:waiting(on)
  end)
  keys.set(self, self.windows.bufs.prompt)
  self:_listen()
  vim.api.nvim_buf_set_lines(self.windows.bufs.prompt, 0, -1, false, { search.question(options.text) })
  vim.cmd('startinsert!')
  self:draw()
  self:typed(0)
end

-- The last question again, where it was left.
function M.resume()
  M.open(last or {})
end

function M:_listen()
  local group = vim.api.nvim_create_augroup('ddg.picker', {})
  local function on(events, pattern, act)
    vim.api.nvim_create_autocmd(events, vim.tbl_extend('error', pattern, { group = group, callback = act }))
  end
  local prompt = { buffer = self.windows.bufs.prompt }
  on({ 'TextChangedI', 'TextChangedP', 'TextChanged' }, prompt, function()
    self:typed()
  end)
  on('WinLeave', prompt, vim.schedule_wrap(function()
    self:left()
  end))
  -- Leaving the prompt of a picker before this one ends insert mode, a little later.
  on('ModeChanged', { pattern = 'i*:n*' }, vim.schedule_wrap(function()
    if self.windows:valid() and vim.api.nvim_get_current_win() == self.windows.wins.prompt and self.reopened then
      self.reopened = false
      vim.cmd('startinsert!')
    end
  end))
  on('VimResized', {}, function()
    self.windows:arrange()
    self:draw()
  end)
  on('User', { pattern = 'DdgStatus' }, function(event)
    self:told(event.data.client_id, event.data.status)
  end)
end

function M:question()
  local lines = vim.api.nvim_buf_get_lines(self.windows.bufs.prompt, 0, -1, false)
  return table.concat(lines, ' ')
end

-- The question may have changed: it is asked after a little quiet.
function M:typed(delay_ms)
  local lines = vim.api.nvim_buf_line_count(self.windows.bufs.prompt)
  if lines > 1 then -- pasted: a question is one line
    vim.api.nvim_buf_set_lines(self.windows.bufs.prompt, 0, -1, false, { self:question() })
    vim.api.nvim_win_set_cursor(self.windows.wins.prompt, { 1, #self:question() })
  end
  local text = search.question(self:question())
  if text ~= self.asked then
    self.asked = text
    self.asking:ask(text, delay_ms)
  end
end

function M:answered(err, answer, client)
  if not self.windows:valid() then
    return
  end
  local again = self.answer and answer and self.answer.query == answer.query
  local chosen = again and self:hit() and self:hit().id
  if not again and self.answer then
    self.selected = 1
  end
  self.err, self.answer, self.client = err, answer, client
  self.index = answer and answer.index or self.index
  self.asked_at = vim.uv.now()
  for number, hit in ipairs(answer and answer.hits or {}) do
    if hit.id == chosen and self.selected > 1 then
      self.selected = number
    end
  end
  self:draw()
end

-- The server told how far it is: the answer on the screen may be better now.
function M:told(client_id, status)
  if not self.windows:valid() or (self.client and self.client.id ~= client_id) then
    return
  end
  self.index = status.index
  local incomplete = self.answer and self.answer.index and self.answer.index.state == 'building'
  if incomplete and (status.quiescent or vim.uv.now() - self.asked_at > ASK_AGAIN_MS) then
    self.asking:ask(self.asked, 0)
  end
  self:footer()
end

function M:waiting(on)
  self.is_waiting = on
  vim.defer_fn(function()
    if self.is_waiting == on and self.windows:valid() then
      self:footer()
    end
  end, on and 150 or 0)
end

function M:hit()
  return self.answer and self.answer.hits[self.selected]
end

function M:draw()
  local box = self.windows.boxes.results
  local count = self.answer and #self.answer.hits or 0
  self.selected = self.answer and math.max(1, math.min(self.selected, count)) or self.selected
  self.list:fill(self.answer, self.err, box.width)
  self:show_selected()
  self:footer()
end

function M:footer()
  local wins, box = self.windows.wins, self.windows.boxes.results
  self.list:footer(wins.results, self.answer, self.index, self.is_waiting, box.width)
end

function M:show_selected()
  local wins, box = self.windows.wins, self.windows.boxes.preview
  self.list:select(wins.results, self:hit() and self.selected)
  self.preview.buf = self.windows.bufs.preview
  self.preview:show(wins.preview, self:hit(), box and box.width or 0)
end

function M:move(by)
  local count = self.answer and #self.answer.hits or 0
  if count > 0 then
    self.selected = (self.selected - 1 + by) % count + 1
    self:show_selected()
  end
end

function M:page(by)
  local count = self.answer and #self.answer.hits or 0
  if count > 0 then
    local wanted = self.selected + by * self.windows.boxes.results.height
    self.selected = math.max(1, math.min(wanted, count))
    self:show_selected()
  end
end

function M:scroll(down)
  self.preview:scroll(self.windows.wins.preview, down)
end

-- The focus went elsewhere: a click on a hit chooses it, anything else ends the picker.
function M:left()
  local win = vim.api.nvim_get_current_win()
  if not self.windows:valid() or win == self.windows.wins.prompt then
    return
  end
  if not self.windows:owns(win) then
    return self:close()
  end
  if win == self.windows.wins.results and self:hit() then
    self.selected = vim.api.nvim_win_get_cursor(win)[1]
  end
  vim.api.nvim_set_current_win(self.windows.wins.prompt)
  vim.cmd('startinsert!')
  self:draw()
end

function M:take_away()
  last = { text = self:question(), selected = self.selected }
  self.asking:stop()
  vim.api.nvim_create_augroup('ddg.picker', {})
  self.windows:close()
  if vim.api.nvim_win_is_valid(self.origin.win) then
    vim.api.nvim_set_current_win(self.origin.win)
  end
end

-- Ends the picker; `act` runs in the window it was opened from.
function M:close(act)
  vim.cmd('stopinsert')
  self:take_away()
  -- Insert mode ends when Neovim next waits for a key, and takes the cursor a column back.
  vim.schedule(function()
    if vim.api.nvim_win_is_valid(self.origin.win) then
      vim.api.nvim_win_call(self.origin.win, function()
        vim.fn.winrestview(self.origin.view)
      end)
    end
    if act then
      act()
    end
  end)
end

function M:cancel()
  self:close(function()
    if self.origin.mode:sub(1, 1) == 'i' then
      vim.cmd('startinsert')
      pcall(vim.fn.winrestview, self.origin.view)
    end
  end)
end

function M:open_hit(how)
  local hit, client = self:hit(), self.client
  if hit then
    self:close(function()
      hits.open(hit, client, how)
    end)
  end
end

function M:quickfix()
  local answer, client = self.answer, self.client
  if answer and #answer.hits > 0 then
    self:close(function()
      hits.to_quickfix(answer, client)
    end)
  end
end

function M:copy_link()
  if self:hit() then
    hits.copy_link(self:hit())
  end
end

return M
