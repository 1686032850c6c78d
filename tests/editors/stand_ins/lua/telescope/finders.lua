-- A dynamic finder calls `fn` with the prompt in a coroutine, and makes an entry of each result.
return {
  new_dynamic = function(options)
    return function(prompt, done)
      coroutine.wrap(function()
        done(vim.tbl_map(options.entry_maker, options.fn(prompt)))
      end)()
    end
  end,
}
